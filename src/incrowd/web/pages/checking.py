"""Which files are checked: chosen in the folder, or handed over by the browser."""

from dataclasses import dataclass, field
from pathlib import Path

from incrowd.web import files, jobs
from incrowd.web.facts import ReleaseFacts
from incrowd.web.session import PageSession

PURPOSES = {
    "release": "Release",
    "certificate": "Certificate",
    "key": "Public key that you trust",
    "original": "Original table",
    "policy": "Policy file",
}
_ENDINGS = {"certificate": (".json",), "policy": (".toml",)}


@dataclass(eq=False)
class Checking:
    """The files of a check, shared by all tabs."""

    session: PageSession
    made: ReleaseFacts | None = None
    """The release that was made here: checked if no other is chosen."""
    chosen: dict[str, str | None] = field(default_factory=dict)
    """Paths by purpose; None if somebody wants none."""
    against_world: bool = True
    """Whether to count the people of the world that was chosen for the table, if there is one."""
    _noticed: set[Path] = field(default_factory=set)

    def choose_uploads(self) -> None:
        """Choose the files that were handed over since the last call.

        A release without a certificate takes the one that was handed over before, or none.
        """
        new = {
            purpose: path
            for purpose, path in self.session.uploads.files.items()
            if purpose in PURPOSES and path not in self._noticed
        }
        self._noticed.update(new.values())
        if "release" in new and "certificate" not in new:
            earlier = self.session.uploads.files.get("certificate")
            self.chosen["certificate"] = None if earlier is None else str(earlier)
        self.chosen |= {purpose: str(path) for purpose, path in new.items()}

    def choose(self, purpose: str, path: str | None) -> None:
        """Choose a file, or none; with a release also the certificate beside it, or none."""
        self.chosen[purpose] = path
        if purpose == "release" and path is not None:
            beside = f"{path}.certificate.json"
            self.chosen["certificate"] = beside if Path(beside).is_file() else None

    def chosen_path(self, purpose: str) -> str | None:
        """The file chosen for a purpose; until a release is chosen, that of the one made here.

        None if there is none, or if it is no longer there.
        """
        made = self.made
        ours = {} if made is None else {"release": made.release, "certificate": made.certificate}
        found = self.chosen.get(purpose, None if "release" in self.chosen else ours.get(purpose))
        return found if found is not None and Path(found).is_file() else None

    def options(self, purpose: str) -> dict[str, str]:
        """The files that can be chosen for a purpose: by path, the name that the page shows."""
        session = self.session
        listed = [one for one in files.list_folder(session.folder) if not one.folder]
        found = {
            str(files.path_within(session.folder, one.relative)): one.name
            for one in listed
            if one.name.lower().endswith(_ENDINGS.get(purpose, ""))
        }
        if purpose == "original" and session.source is not None:
            found[session.source] = f"{Path(session.source).name} (the open table)"
        if (copy := session.uploads.files.get(purpose)) is not None:
            found[str(copy)] = f"{copy.name} (handed over)"
        if (now := self.chosen_path(purpose)) is not None:
            found.setdefault(now, Path(now).name)
        return found

    def check_job(self) -> jobs.CheckRelease | None:
        """The job that checks the chosen files; None without a release."""
        release, key = self.chosen_path("release"), self.chosen_path("key")
        if release is None:
            return None
        return jobs.CheckRelease(
            release=release,
            certificate=self.chosen_path("certificate"),
            policy=self.chosen_path("policy"),
            original=self._original(),
            trusted_keys=() if key is None else (key,),
            folder=str(self.session.folder),
            world=self.session.world if self.against_world else jobs.NO_WORLD,
        )

    def _original(self) -> jobs.TableFile | None:
        """The original and how to read it; None if none is chosen."""
        path = self.chosen_path("original")
        if path is None or path == self.session.source:
            return None if path is None else self.session.table
        return jobs.TableFile(path, folder=str(self.session.folder))
