"""Private keys in blocks of several lines."""

from collections.abc import Iterator

from curator.secrets.detector import Detector, Scan, Span, compiled

_BEGIN = r"-{0,5}[ ]?BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?"
_END = r"-{0,5}[ ]?END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY"
_BREAK = r"(?:\s|\\+[nr])*"
_BLOCK = (  # to its end, or as far as its lines go
    rf"{_BEGIN}[ ]?-{{0,5}}(?:(?:(?!{_BEGIN})[\s\S]){{0,19000}}?{_END}(?: BLOCK)?[ ]?-{{0,5}}"
    rf"|(?:{_BREAK}(?:[A-Za-z0-9+/]{{16,}}={{0,2}}|(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]*))*"
    r"(?:(?:\n|\\+n)[A-Za-z0-9+/]{1,76}={0,2}(?=\s*(?:\n|$)))?)"
)
_PUTTY = r"PuTTY-User-Key-File-\d(?:[\s\S]{0,19000}?Private-MAC:[ \t]*[0-9a-fA-F]+|[^\n]*)"


def _blocks(text: str) -> Iterator[Span]:
    for pattern in (_BLOCK, _PUTTY):
        for match in compiled(pattern).finditer(text):
            yield match.span()


BLOCKS = (Detector("private-key", "private key", ("private key", "putty-user-key-file"), scan=Scan.WORD, find=_blocks),)
