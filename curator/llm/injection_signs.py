"""Signs that a passage addresses a model. Such memories are quarantined."""

import re
import unicodedata

from curator.injection import flag_injection
from curator.llm.data_fence import neutral
from curator.llm.validate import Said

_AIMED = re.compile(  # addressed to the model that extracts memories, or to one that reads them later
    r"\bthe user (?:has |have |had )?(?:already |explicitly |hereby )?"
    r"(?:authori[sz]e[sd]?|approve[sd]?|grant(?:s|ed)|consent(?:s|ed)|agreed|permit(?:s|ted)|allow(?:s|ed)|given)\b"
    r"|\bthe user is (?:an? |the )?(?:admin\w*|root|developer of|owner of this)\b"
    r"|\b(?:memory|fact|json) extract(?:or|ion)\b|\bnote to (?:the |any )?(?:ai|model|assistant|llm|extractor|system)\b"
    r"|\b(?:when|while|before) (?:you )?(?:extract|summari[sz]|distil)\w* (?:memor|facts|this)"
    r"|\b(?:repeat|output|print|copy|return|recite) (?:only )?(?:the|your|an?) (?:\w+ ){0,3}"
    r"(?:schema|example|prompt|object)\b"
    r"|[\"']items[\"']\s*:|\bconfidence[\"']?\s*[:=]\s*[\"']?high\b|\{\s*[\"']quote[\"']"
    r"|\b(?:ai|assistant|model|llm|agent)s?,? (?:please )?(?:(?:must|should|shall|has to|have to) )?"
    r"(?:ignore|obey|remember|note|store|record|output|reply)\b"
    r"|\b(?:end|begin|start) of (?:the )?(?:data|turns?|context|untrusted|user input)\b"
    r"|</?\s?(?:turn|context|data|memory|memories|item|items|user|reply|answer)\b[^>\n]{0,80}>",
    re.IGNORECASE,
)
_FOREIGN = re.compile(  # "ignore the instructions" in languages without a list of signs; every repetition is bounded
    r"(?:ignorier|vergiss|vergesst|missacht)\w{0,12}\b[^.\n]{0,50}\b(?:an)?weisung"
    r"|\b(?:ignore[rz]?|oublie[rz]?)\b[^.\n]{0,50}\b(?:instructions|consignes)"
    r"|\b(?:ignor[ae]n?|ignorar|olvid[ae]|dimentica\w*|esque[cç]\w+|desconsider\w+)\b"
    r"[^.\n]{0,50}\b(?:instrucciones|istruzioni|instru[cç][oõ]es|regras|reglas)"
    r"|\b(?:negeer|vergeet)\b[^.\n]{0,50}\b(?:instructies|regels)"
    r"|\b(?:zignoruj|zapomnij)\b[^.\n]{0,50}\binstrukcj"
    r"|(?:игнорируй|забудь)[^.\n]{0,55}(?:инструкци|указани|правил)"
    r"|(?:忽略|无视|無視|忘记|忘記)[^。\n]{0,20}(?:指令|指示|说明|規則|规则|命令)"
    r"|(?:指示|命令|ルール|プロンプト)[^。\n]{0,15}(?:無視|忘れ)|(?:지시|명령|규칙)[^.\n]{0,15}(?:무시|잊)",
    re.IGNORECASE,
)
_JOINERS = "\u200c\u200d\u00ad\ufeff\u200e\u200f"


def flagged(passage: Said, text: str) -> str | None:
    """Return "injection" if the turn around a passage, or a memory text made from it, instructs a model, else None.

    The whole turn is checked, since an instruction and its subject may be on different lines.
    """
    spoken = list(passage.turn.text)
    for gap in passage.turn.gaps:
        spoken[gap.start : gap.end] = " " * (gap.end - gap.start)
    words = "".join(spoken)
    # characters that reverse text or spell invisible letters; joiners are legitimate
    hidden = any(
        char > "\x7f" and char not in _JOINERS and unicodedata.category(char) == "Cf" for char in passage.sentence
    )
    return "injection" if hidden or _orders(words) or _orders(text) else None


def _orders(text: str) -> bool:
    """Return True if a text gives instructions, with or without its invisible characters."""
    plain = unicodedata.normalize("NFKC", neutral(text))
    return any(flag_injection(one) or _AIMED.search(one) or _FOREIGN.search(one) for one in ({text, plain}))
