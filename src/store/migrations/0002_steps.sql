-- One row: when a tick last ran, to the hour; a clock that is far from it is not believed.
CREATE TABLE last_tick (
    last_tick INTEGER PRIMARY KEY CHECK (last_tick = 1),
    at        INTEGER NOT NULL
) STRICT;
