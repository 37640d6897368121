-- The jobs whose id has a beginning; U+10FFFF comes after every character of an id.
SELECT id FROM (
    SELECT id FROM coordinator_job WHERE id >= :beginning AND id < :beginning || char(1114111)
    UNION ALL
    SELECT id FROM bundle_job WHERE id >= :beginning AND id < :beginning || char(1114111)
    UNION ALL
    SELECT id FROM workflow_job WHERE id >= :beginning AND id < :beginning || char(1114111)
)
ORDER BY id LIMIT :most
