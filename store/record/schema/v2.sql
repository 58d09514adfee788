-- The inbox, what matters most last (store.filter.MATTERS), so that its first page and its count take no scan.
CREATE INDEX memories_inbox ON memories (
    owner,
    life,
    review,
    importance + CASE tier WHEN 'core' THEN 3 WHEN 'low' THEN -2 ELSE 0 END
        + 5 * coalesce(json_extract(surprise, '$[1]'), 0) + 2 * coalesce(json_extract(surprise, '$[0]'), 0),
    created_at,
    id,
    origin,
    later_until
) WHERE life = 'live' AND review = 'open';
