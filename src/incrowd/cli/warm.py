"""`incrowd warm`: compile everything ahead."""

from incrowd import api
from incrowd.cli import options
from incrowd.cli.output import Output, ProgressBar, counted
from incrowd.documents import json
from incrowd.documents import warm as texts


def warm(*, as_json: options.AsJson = False, quiet: options.Quiet = False) -> None:
    """Compile all kernels ahead, for an image.

    Later runs on this machine, or from this image, start at once.

    Example: incrowd warm
    """
    output = Output(as_json=as_json, quiet=quiet)
    with ProgressBar(quiet=quiet or as_json) as bar:
        made = api.warm(tell=lambda ready, of: bar.tell(*counted(ready, of)))
    output.result(lambda: json.warm_document(made), lambda: texts.warm_text(made))
