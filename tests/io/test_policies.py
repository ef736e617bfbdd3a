import pytest

from incrowd.errors import PolicyError
from incrowd.io.files import read_policy
from incrowd.policy.codec import loads

GOOD = """
version = 1
[[models]]
name = "k-anonymity"
k = 5
[columns.age]
role = "quasi"
"""


def test_files_are_read_and_their_absence_is_told(tmp_path):
    path = tmp_path / "policy.toml"
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PolicyError, match="not UTF-8"):
        read_policy(path)
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read_policy(path) == loads(GOOD)
