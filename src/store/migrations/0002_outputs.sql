-- How the URIs begin that a version of a coordinator writes: who writes a path is found without reading all definitions.
CREATE TABLE coordinator_output (
    job       INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    beginning TEXT    NOT NULL,
    PRIMARY KEY (job, version, beginning),
    FOREIGN KEY (job, version) REFERENCES coordinator_definition (job, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX coordinator_output_beginning ON coordinator_output (beginning);

-- What earlier versions of howdah stored may write anything.
INSERT INTO coordinator_output SELECT job, version, '' FROM coordinator_definition;
