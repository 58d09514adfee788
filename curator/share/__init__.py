"""Projects that several people share through any folder or object storage: `curator share`.

Every member writes signed segments that nobody else changes (`segments`): the statements they share (`outbox`), and
their verdicts on the statements of others. The segments of the others are checked (`segment_content`) and applied
(`received`): their statements become memories that no model gets until the person here, or a trusted member, validates
them.

- **Keys.** The words encode the key of the first epoch. Whoever has them can request membership (`members`); the owner,
  who is the first member, admits requests at the next pass, in a signed list. To remove a member, the owner generates a
  key for a new epoch, sealed for each remaining member, and records how far the removed member's segments had been
  read: later ones are refused.
- **Identity.** A member's Ed25519 key is derived from the key of the record, which all devices of a person share once
  they sync. So two devices of one person are one member, who receives nothing from themselves.
- **Sending.** Each device writes the difference between what it would share now and what the segments of all its
  person's devices contain; the later of two writes wins. A device that withdraws or changes words writes its whole
  state as a new generation and deletes the old one, so that the target holds no words that are no longer shared.
- **Held back.** A received memory has a flag, the same that keeps proposals of assistants from models, so that no path
  to a model needs to know of shared projects. A trusted member's verdict removes the flag; it applies to the exact
  words, not to a later correction. Instructions to a model stay in quarantine whoever validated them.
- **Withdrawn** means expired here, not forgotten: the person did not ask to forget it, so no tombstone keeps it out.
"""
