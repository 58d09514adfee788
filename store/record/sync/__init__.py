"""Replication of a record between the devices of a person.

Each device publishes its own events (`outbox`), and the others fold them into their records as commands of that device
(`inbox`). An event carries a vector clock of the events that its device had read, which tells whether two writes are
ordered or concurrent. Concurrent writes are resolved by the rules in `values`. The result does not depend on the order
of arrival, because a batch is only folded after everything that its device had read. `consequences` then derives
follow-up commands of this device, for example for duplicates or for memories forgotten on another device.
"""
