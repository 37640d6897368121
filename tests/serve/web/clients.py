"""Submits and controls jobs through the unchanged clients pyoozie and oozie-api.

Arguments: the address of the server, the user, the folder of a workflow, the folder of a coordinator.
"""

import collections
import collections.abc
import sys
import time

# pyoozie uses names that newer versions of Python have only in collections.abc.
for name in ("Iterable", "Mapping", "MutableMapping", "Sequence"):
    if not hasattr(collections, name):
        setattr(collections, name, getattr(collections.abc, name))

from oozie.oozie import Admin, Job, Jobs, Versions
from pyoozie import OozieClient

SERVER, USER, WORKFLOW, COORDINATOR = sys.argv[1:5]


def wait(found, what):
    for _ in range(300):
        if found():
            return
        time.sleep(0.1)
    raise AssertionError("waited without result for " + what)


def with_pyoozie():
    client = OozieClient(url=SERVER, user=USER)
    assert client.admin_status() == {"systemMode": "NORMAL"}
    assert "buildVersion" in client.admin_build_version()
    for query in (client.admin_os_env, client.admin_java_properties, client.admin_configuration,
                  client.admin_instrumentation, client.admin_metrics, client.admin_available_timezones,
                  client.admin_queue_dump, client.admin_available_oozie_servers):
        assert query() is not None
    assert client.admin_list_sharelib() == []
    workflow = client.jobs_submit_workflow(WORKFLOW, configuration={"word": "a&b"})
    assert workflow.status.name == "PREP" and workflow.conf["word"] == "a&b", workflow
    assert client.job_workflow_start(workflow.id)
    wait(lambda: client.job_info(workflow.id).status.name == "SUCCEEDED", "the workflow")
    done = client.job_info(workflow.id)
    assert done.actions["a"].status.name == "OK" and done.endTime >= done.startTime
    assert not client.job_workflow_kill(workflow.id)
    assert [job.id for job in client.jobs_all_workflows()] == [workflow.id]
    assert client.jobs_workflow_names() == {done.appName}
    coordinator = client.jobs_submit_coordinator(COORDINATOR, configuration={"sandbox": "/"})
    wait(lambda: client.job_coordinator_info(coordinator.coordJobId).total > 0, "an action")
    wait(lambda: client.job_action_info(coordinator.coordJobId + "@1").status.name == "SUCCEEDED", "the action")
    action = client.job_action_info(coordinator.coordJobId + "@1")
    assert action.workflow().status.name == "SUCCEEDED" and action.nominalTime is not None
    assert [job.coordJobId for job in client.jobs_all_active_coordinators()] == [coordinator.coordJobId]
    assert client.job_coordinator_suspend(coordinator.coordJobId)
    assert client.job_coordinator_info(coordinator.coordJobId).status.is_suspended()
    assert client.job_coordinator_resume(coordinator.coordJobId)
    assert client.job_coordinator_rerun(coordinator.coordJobId + "@1")
    runs = client.job_coordinator_update(coordinator.coordJobId, COORDINATOR, configuration={"sandbox": "/"})
    assert runs.coordJobId == coordinator.coordJobId
    assert client.job_coordinator_kill(coordinator.coordJobId)
    assert client.job_coordinator_info(coordinator.coordJobId).status.name == "KILLED"
    return workflow.id


def with_oozie_api(known):
    import json

    def document(answer, status=200):
        assert answer.code == status, (answer.code, answer.headers)
        return json.loads(answer.body)

    assert document(Versions(SERVER).oozie_versions()) == [0, 1, 2]
    assert document(Admin(SERVER).status()) == {"systemMode": "NORMAL"}
    jobs, job = Jobs(SERVER), Job(SERVER)
    body = ("<configuration><property><name>user.name</name><value>%s</value></property><property>"
            "<name>oozie.wf.application.path</name><value>%s</value></property></configuration>" % (USER, WORKFLOW))
    new = document(jobs.submit_job(body.encode()), 201)["id"]
    filters = Jobs.Filters()
    filters.status = "PREP"
    assert [found["id"] for found in document(jobs.info("wf", filters))["workflows"]] == [new]
    start = job.managing_job(new, "start", b"")
    assert (start.code, start.body) == (200, b"")
    wait(lambda: document(job.job_status(new))["status"] == "SUCCEEDED", "the workflow")
    assert document(job.job_info(known))["id"] == known
    assert b"<workflow-app" in job.job_definition(new).body
    assert b"ran" in job.job_log(new).body
    again = job.rerun_workflow(new, body.replace("</configuration>", "<property><name>oozie.wf.rerun.failnodes</name>"
                                                 "<value>false</value></property></configuration>").encode())
    assert (again.code, again.body) == (200, b"")
    wait(lambda: document(job.job_info(new))["run"] == 1, "the second run")


with_oozie_api(with_pyoozie())
print("done")
