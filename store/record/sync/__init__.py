"""Agreement of several devices of one person: what each writes is read by all others and folded into their records.

Each device writes only its own events (`outbox`); the others fold them (`inbox`) as commands of that device. A write
says what its device had read of the others, so that any two writes are known to follow each other, or to be made
without knowing of each other. For the latter, `values` holds the rules; they do not depend on the order of arrival,
as a batch is folded only after all that its device had read. `consequences` draws what follows for memories that say
the same, or what was forgotten elsewhere, as commands of this device.
"""
