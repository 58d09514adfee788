"""Names of the person's animals, and the facts and prompts about them. English only."""

import re
from collections.abc import Callable, Iterable

from curator.safety.facts import CLAUSE_BREAK, clauses, states
from curator.safety.vocabulary import ANIMAL, RELATIVE, plain_text

MOST_NAMES = 8
"""Maximum names of a prompt that are looked up."""
_NAMES_ANIMAL = re.compile(
    rf"(?<!hot )\b(?:{ANIMAL}|pets?|vets?|kibble|hund|katze|chien|perro|gato|gatto|hond)\b(?! (?:cheese|videos?"
    rf"|command|power|mq|projects?|wheel|[\w./-]*[\w-][./]\w+)\b| ?[|<>])"
)
_SUBJECT = re.compile(
    r"\b([A-Z][\w-]+)(?:['’]s| (?:has|have|had|is|was|takes|needs|gets|got|eats|can['’]?t|cannot|must|suffers))\b"
)
_CAPITAL = re.compile(r"\b[A-Z][\w-]{2,}")
_OF_PERSON = re.compile(
    rf"\b(?:i|i'm|i've|me|my|we|us|our|owners?|walkers?|sitters?|breeder|trainer|groomer|friends?|vet|{RELATIVE})\b"
)
_WHOLE = r"(?= *(?:$|[,.;:!?()]|(?:and|who|which|that|is|was|has)\b))"  # no "dog sitter", no "my cat hates"
_KIND = (
    r"(?:(?!(?:of|to|by|with|for|in|on|from|like|than|and|or|the|my|our|your|his|her|an?|not)\b)[\w'-]+ ){0,3}?"
    rf"(?i:{ANIMAL})"
)
_OF_ANIMAL = re.compile(
    rf"(?:\b{ANIMAL}(?: [\w-]+)?(?: \([^)]{{0,60}}\))?|^\W*[\w-]+,? (?:is )?(?:my|our) {ANIMAL})(?: \w+ly)?"
    r" (?:has|have|had|takes?|is|are|was|needs?|gets?|can't|cannot|must|suffers?)\b"
)
_OF_VET = re.compile(r"\b(?:the |our )?vet(?:'s| says| said)?\b|\bkibble\b")
_ALSO_OF_PERSON = re.compile(r"\b(?:i|i'm|me|my|we|us|our|(?:to|on|from|of) (?:cats?|dogs?|fur|animals?))\b")
_GOES_ON = re.compile(  # of the same one
    r"\W*(?:also )?(?:takes?|needs?|has|is|gets?|eats|can't|cannot|must|on|(?:she|he|it)(?:'?s)?|(?:i|we) (?:think"
    r"|guess|suspect|reckon)|probably|maybe|perhaps)\b"
)


class AnimalNames:
    """The names of the person's animals, looked up in what they said: "We got a dog, Bosun".

    `texts_with(name)` returns the texts that mention a name; it is called once per name.
    """

    def __init__(self, texts_with: Callable[[str], Iterable[str]]) -> None:
        self._texts_with = texts_with
        self._known: dict[str, bool] = {}

    def __contains__(self, name: object) -> bool:
        one = str(name).casefold()
        if one not in self._known:
            texts = list(self._texts_with(one))
            of_animal = any(is_animal(one, text) for text in texts)
            self._known[one] = of_animal and not any(is_relative(one, text) for text in texts)
        return self._known[one]

    def are_in(self, prompt: str) -> bool:
        """Return True for a prompt that names an animal, by its kind or its name."""
        if _NAMES_ANIMAL.search(plain_text(prompt)) is not None:
            return True
        return any(name in self for name in dict.fromkeys(_CAPITAL.findall(prompt)[:MOST_NAMES]))

    def has_fact(self, text: str, kinds: tuple[str, ...]) -> bool:
        """Return True if all facts of these kinds in a text are about an animal."""
        if is_of_animal(text, kinds):
            return True
        found = False
        for clause in clauses(text):
            if states(clause, kinds):
                names = _SUBJECT.findall(clause)
                if not names or not all(name in self for name in names):
                    return False
                if _OF_PERSON.search(plain_text(clause)):
                    return False  # "Bosun is the reason for my asthma", "Bosun's walker has a nut allergy"
                found = True
        return found


def subject_names(text: str) -> set[str]:
    """Return the capitalised words of a text, in lower case, of which it says what they are or have."""
    return set(map(str.casefold, _SUBJECT.findall(text)))


def is_of_animal(text: str, kinds: tuple[str, ...]) -> bool:
    """Return True if all facts of these kinds in a text are about an animal."""
    plain = plain_text(text)
    if _OF_ANIMAL.search(plain) is None and (_OF_VET.search(plain) is None or _ALSO_OF_PERSON.search(plain) is None):
        return _OF_VET.search(plain) is not None
    of_animal = False
    for clause in map(plain_text, CLAUSE_BREAK.split(text)):
        of_vet = _OF_VET.search(clause) is not None and _ALSO_OF_PERSON.search(clause) is None
        goes_on = of_animal and _GOES_ON.match(clause) is not None
        of_animal = of_vet or goes_on or _OF_ANIMAL.search(clause) is not None
        if not of_animal and states(clause, kinds):
            return False
    return True


def is_animal(name: str, text: str) -> bool:
    """Return True if a text says that a lower-case name is an animal's: "my cat Miso", "Bosun is our dog"."""
    one = rf"(?i:{re.escape(name)})\b"
    proper = rf"(?=[A-Z]){one}"  # "our cat is ginger" is no name
    return (
        re.search(
            rf"(?<![Tt]he )\b(?i:{ANIMAL})(?:(?:,? is)?,? (?:called|named) {one}|'s name is {one}| is {proper}| {one}"
            rf"|, {proper}(?= *(?:$|[,.;!?()])))"
            rf"|\b{proper}(?: is| was|,? \(|,) ?(?:(?:my|our|an?) {_KIND}|the {_KIND}(?! and)){_WHOLE}",
            text.replace("’", "'"),
        )
        is not None
    )


def is_relative(name: str, text: str, relative: str = RELATIVE) -> bool:
    """Return True if a text says that a lower-case name is a relative's: "my son Max".

    `relative` is the pattern of the words for relatives.
    """
    one = re.escape(name)
    return (
        re.search(
            rf"\b{relative},? (?:is )?(?:called |named )?{one}\b|\b{one},? (?:is |was |\()?(?:\d+, )?(?:my|our|an?)"
            rf" (?:\w+ )?{relative}\b(?!'s|-)",
            plain_text(text),
        )
        is not None
    )
