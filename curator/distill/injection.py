"""Text that looks like orders to a model rather than like something a person says of themselves."""

import re

_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "override",
        re.compile(
            r"\b(?:ignore|disregard|forget|override|bypass|discard)\b[^.\n]{0,30}\b(?:all |any |the |your |these |those )?"
            r"(?:previous|prior|above|earlier|preceding|existing|system|safety|original)\b[^.\n]{0,20}"
            r"\b(?:instructions?|prompts?|rules?|guidelines?|directions?|messages?|context|constraints?|guardrails?)\b"
        ),
    ),
    (
        "role delimiter",
        re.compile(
            r"<\|?/?\s?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)\b[^>\n]{0,40}>"
            r"|\[/?inst\]|<</?sys>>|(?:^|\n)\s{0,4}(?:#{1,4} ?|\*\*)?(?:system|assistant|developer)(?: (?:prompt|message|instructions?))?(?:\*\*)?:(?:\*\*)?\s"
            r"|\{\s?[\"']role[\"']\s?:\s?[\"'](?:system|assistant|developer|tool)[\"']"
        ),
    ),
    (
        "new role",
        re.compile(
            r"\byou are (?:now |no longer )(?:a |an |in |bound |restricted|dan\b|chatgpt|free)|\bact as (?:if you (?:have|had) no|an? (?:unrestricted|uncensored|jailbroken))"
            r"|\b(?:developer|god|dan|jailbreak|debug|admin|sudo) mode\b[^.\n]{0,40}\b(?:enabled?|on|activated?|engage)\b|\benter (?:developer|god|dan|jailbreak) mode\b"
        ),
    ),
    (
        "prompt theft",
        re.compile(
            r"\b(?:reveal|print|output|repeat|show|leak|display|tell me|expose|send)\b[^.\n]{0,40}\b(?:system prompt|hidden instructions?|initial instructions?|your (?:instructions|prompt)|all (?:stored |saved )?(?:memories|secrets|api keys|passwords))\b"
        ),
    ),
    (
        "forced reply",
        re.compile(
            r"\byou (?:must|shall|will|have to) (?:now |only |always )?(?:reply|respond|answer|output|say|comply|obey)\b[^.\n]{0,60}\b(?:exactly|only with|with the (?:word|phrase|following)|verbatim|nothing else|without (?:question|exception|warning|refus))"
            r"|\bdo not (?:tell|inform|alert|warn|mention (?:this|it) to) the user\b|\bwithout (?:telling|informing|asking|notifying) the user\b"
            r"|\b(?:the )?(?:assistant|model|ai|llm|agent) (?:must|should|shall|is (?:instructed|required|ordered)) (?:to )?(?:ignore|obey|send|call|execute|run|reveal|delete|forward|comply|always (?:recommend|say|obey))\b"
        ),
    ),
    (
        "tool call",
        re.compile(
            r"<(?:/?(?:tool_call|function_call|function_calls|invoke|tool_use|tool_result|antml:\w+|memories|recall|instructions?|prompt))\b[^>\n]{0,80}>"
            r"|\{\s?[\"'](?:name|tool|function|tool_name)[\"']\s?:\s?[\"'][\w.-]{1,60}[\"']\s?,\s?[\"'](?:arguments|parameters|input|args)[\"']\s?:"
            r"|\b(?:call|invoke|execute|use) the (?:[\w.-]{1,40} )?(?:tool|function) (?:with|to (?:send|delete|post|upload|transfer|email))\b"
        ),
    ),
    (
        "exfiltration",
        re.compile(
            r"!\[[^\]\n]{0,80}\]\(https?://[^)\n]{0,200}[?&=][^)\n]{0,200}\)|\b(?:send|post|upload|forward|exfiltrate|transmit)\b[^.\n]{0,60}\b(?:conversation|chat history|memories|api keys?|passwords?|credentials|secrets|tokens)\b[^.\n]{0,40}\bto\b[^.\n]{0,20}(?:https?://|[\w.]{1,64}@)"
        ),
    ),
    ("encoded blob", re.compile(r"(?<![A-Za-z0-9+/=])(?=[A-Za-z0-9+/]{0,80}[0-9+/])(?=[A-Za-z0-9+/]{0,80}[A-Z])[A-Za-z0-9+/]{100,}={0,2}")),
)  # fmt: skip
CHECKED = 20_000


def flag_injection(text: str) -> str | None:
    """ "injection" if `text` gives orders to a model, imitates its protocol or hides a payload, else None.

    A person's standing wishes ("always answer in British English", "never use emoji") are no injections. Only the
    first 20,000 characters are looked at; memories have at most 500.
    """
    part = text[:CHECKED]
    low = part.lower().replace("’", "'")
    for name, sign in _SIGNS:
        if sign.search(part if name == "encoded blob" else low):
            return "injection"
    return None
