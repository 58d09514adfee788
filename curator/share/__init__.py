"""Projects that several people share through any folder or object storage: `curator share`.

Every member writes signed segments that no other changes (`segments`): the statements they share (`outbox`), and
which of the others' they validated or rejected. They read those of the others (`received`), whose statements become
memories that no model gets before the person here validates them, or a member whom they trust does.

- **Keys.** The words stand for the key of the first epoch. Who has them can ask to be a member (`members`); the first
  member, the owner, admits those who ask at the next pass, in a signed list. To remove somebody, the owner draws a key
  for a new epoch, sealed for each of the others, and notes how far the removed member's segments had been read: what
  comes after is refused.
- **Who a member is.** A member's Ed25519 key is made from the key of the record, which all devices of a person have in
  common once they sync. So two devices of one person are one member, who receives nothing from themselves.
- **What is sent.** Each device writes the difference between what it would share now and what the segments of all its
  person's devices say; the later of two writes holds. A device that withdraws or changes words writes its whole state
  as a new generation and deletes the former one, so that the target holds no words that nobody shares any more.
- **Held back.** A received memory has a flag, the same that keeps proposals of assistants from models, so that no way
  to a model needs to know of shared projects. A trusted member's verdict takes the flag off; it counts for the words it
  was given for, not for a later correction. What reads like an order stays in quarantine whoever validated it.
- **Withdrawn** means expired here, not forgotten: the person did not ask to forget it, so no tombstone keeps it out.
"""
