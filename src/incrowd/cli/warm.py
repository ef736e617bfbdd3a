"""`incrowd warm`: compile everything ahead."""

from incrowd import api
from incrowd.cli.asks import asks
from incrowd.cli.output import ProgressBar, Terse, kernel_progress
from incrowd.documents import json
from incrowd.documents import warm as texts


@asks()
def warm(*, output: Terse) -> None:
    """Compile all kernels ahead, for an image.

    Later runs on this machine, or from this image, start at once.

    Example: incrowd warm
    """
    with ProgressBar(quiet=output.quiet or output.as_json) as bar:
        made = api.warm(tell=lambda ready, of: bar.tell(*kernel_progress(ready, of)))
    output.show_result(lambda: json.warm_document(made), lambda: texts.warm_text(made))
