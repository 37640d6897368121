-- Where the work of a node is followed when that is not this machine: the name of the cluster's scheduler.
ALTER TABLE workflow_node ADD COLUMN tracker_uri TEXT;
