"""A client that knows widgets, as far as tests need one: the models that it hears of, checked by ipywidgets' own classes."""

from __future__ import annotations

import json
import time
from importlib.resources import files
from queue import Empty

import ipywidgets
import jsonschema
from ipywidgets.widgets import widget as protocol
from ipywidgets.widgets.widget_link import Link

from e2e.session import CELL_SECONDS, Session

VIEW = "application/vnd.jupyter.widget-view+json"


class Comm:
    """A comm for ipywidgets' classes that goes nowhere."""

    def __init__(self, comm_id: str):
        self.comm_id = comm_id

    def ignore(self, *_arguments, **_keywords):
        pass

    on_msg = on_close = send = close = ignore


def validated(comm_id: str, message: dict) -> ipywidgets.Widget:
    """The widget that ipywidgets makes of a `comm_open`: an unknown class or a value that a class refuses raises."""
    # It changes the state that it gets.
    copy = json.loads(json.dumps(message, default=str))
    copy["buffers"] = message["buffers"]
    if copy["content"]["data"]["state"]["_model_name"] == "LinkModel":
        # ipywidgets cannot make a link of a message either: it wants the widgets at both ends.
        ends = [copy["content"]["data"]["state"].pop(end) for end in ("source", "target")]
        ends = [(protocol._instances[model.removeprefix("IPY_MODEL_")], trait) for model, trait in ends]
        made = Link(*ends, comm=Comm(comm_id))
        return compared(made, message)
    # The values behind labels are Python's own, so ipywidgets cannot make a list of a message.
    listed = [(key, copy["content"]["data"]["state"].pop(key)) for key in ("_options_labels", "index") if key in copy["content"]["data"]["state"]]
    protocol.Widget.handle_comm_opened(Comm(comm_id), copy)
    made = protocol._instances[comm_id]
    for key, value in listed:
        setattr(made, key.replace("_options_labels", "options"), value)
    return compared(made, message)


def compared(made: ipywidgets.Widget, message: dict) -> ipywidgets.Widget:
    """The same widget, whose state must be that of the message."""
    # As it would be sent: tuples are lists then.
    theirs = json.loads(json.dumps(made.get_state(), default=str))
    ours = message["content"]["data"]["state"]
    for key, value in ours.items():
        assert key in theirs, f"{ours['_model_name']} has no {key}"
        assert theirs[key] == value, f"{ours['_model_name']}.{key}: {value!r}, and in ipywidgets {theirs[key]!r}"
    missing = {key for key in theirs if key not in ours and theirs[key] is not None}
    assert missing <= {"value"} or made.__class__ is ipywidgets.Layout, f"{ours['_model_name']} lacks {missing}"
    return made


class Page:
    """The models of a page on a kernel."""

    def __init__(self, kernel: Session):
        self.kernel = kernel
        self.models: dict[str, dict] = {}
        self.closed: list[str] = []
        self.log: list[dict] = []

    def take(self, message: dict) -> None:
        """What a page does with a message of iopub."""
        self.log.append(message)
        kind, content = message["msg_type"], message["content"]
        if kind == "comm_open":
            assert content["target_name"] == "jupyter.widget" and message["metadata"]["version"] == "2.1.0"
            validated(content["comm_id"], message)
            self.models[content["comm_id"]] = self.with_buffers(content["data"], message["buffers"])
        elif kind == "comm_msg" and content["data"]["method"] in ("update", "echo_update"):
            model, state = self.models[content["comm_id"]], self.with_buffers(content["data"], message["buffers"])
            assert state.keys() <= model.keys(), f"{state.keys()} of {model['_model_name']}"
            made = protocol._instances[content["comm_id"]]
            made.set_state(dict(state))
            model.update(state)
        elif kind == "comm_close":
            self.models.pop(content["comm_id"], None)
            self.closed.append(content["comm_id"])

    @staticmethod
    def with_buffers(data: dict, buffers: list) -> dict:
        state = dict(data["state"])
        assert len(data["buffer_paths"]) == len(buffers)
        for path, buffer in zip(data["buffer_paths"], buffers, strict=True):
            assert path == ["value"], path
            state["value"] = bytes(buffer)
        return state

    def hear(self, is_over, seconds: float = CELL_SECONDS) -> list[dict]:
        """Takes messages until one is the last; returns them all."""
        deadline = time.monotonic() + seconds
        begun = len(self.log)
        while True:
            try:
                message = self.kernel.client.get_iopub_msg(timeout=max(deadline - time.monotonic(), 0.001))
            except Empty:
                seen = [(entry["msg_type"], str(entry["content"])[:200]) for entry in self.log[begun:]]
                raise AssertionError(f"the deadline passed; so far: {seen}") from None
            self.take(message)
            if is_over(message):
                return self.log[begun:]

    @staticmethod
    def widget(model: str) -> ipywidgets.Widget:
        """ipywidgets' own widget of a model."""
        return protocol._instances[model]

    @staticmethod
    def forget() -> None:
        """Closes ipywidgets' own widgets, which otherwise complain at the end of the process."""
        ipywidgets.Widget.close_all()

    def until_idle(self, request: str, seconds: float = CELL_SECONDS) -> list[dict]:
        return self.hear(
            lambda message: message["msg_type"] == "status"
            and message["content"]["execution_state"] == "idle"
            and message["parent_header"].get("msg_id") == request,
            seconds,
        )

    def run(self, code: str, cell_id: str | None = None) -> list[dict]:
        """Runs a cell that must succeed; returns what it published."""
        return self.finish(self.send_cell(code, cell_id))

    def send_cell(self, code: str, cell_id: str | None = None) -> str:
        return self.kernel.send_cell(code, cell_id)

    def finish(self, request: str) -> list[dict]:
        messages = self.until_idle(request)
        reply = self.kernel.reply(request, time.monotonic() + 40)
        assert reply["status"] == "ok", "\n".join(reply.get("traceback", []))
        return [message for message in messages if message["parent_header"].get("msg_id") == request]

    def send(self, kind: str, **content) -> str:
        message = self.kernel.client.session.msg(kind, content)
        self.kernel.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def set(self, model: str, **state) -> str:
        """Changes a model's state as a control does; returns the request."""
        return self.send("comm_msg", comm_id=model, data={"method": "update", "state": state, "buffer_paths": []})

    def move(self, model: str, **state) -> list[dict]:
        """The same, and waits until what it calls has ended."""
        return self.until_idle(self.set(model, **state))

    def one(self, name: str, described: str | None = None) -> str:
        """The identity of the only model of this name, and with this description."""
        is_it = lambda state: state["_model_name"] == name and described in (None, state.get("description"))  # noqa: E731
        found = [comm_id for comm_id, state in self.models.items() if is_it(state)]
        assert len(found) == 1, f"{len(found)} {name} among {[state['_model_name'] for state in self.models.values()]}"
        return found[0]

    def outputs(self) -> list[dict]:
        """The outputs that the only interaction shows: pictures are displays again."""
        columns = [state for state in self.models.values() if state["_model_name"] == "VBoxModel"]
        (area,) = [state for state in columns if "widget-interact" not in state["_dom_classes"]]
        shown = []
        for child in area["children"]:
            model = self.models[child.removeprefix("IPY_MODEL_")]
            if model["_model_name"] == "ImageModel":
                shown.append({"output_type": "picture", "file": model["value"]})
            else:
                shown += model["outputs"]
        return shown

    def text(self) -> str:
        return "".join(output.get("text", "") for output in self.outputs())

    def states(self) -> dict:
        """All models as the kernel tells them to a page that is loaded again."""
        self.until_idle(self.send("comm_open", comm_id="asks", target_name="jupyter.widget.control", data={}))
        messages = self.hear_states()
        self.until_idle(self.send("comm_close", comm_id="asks", data={}))
        schema = json.loads(files("ipywidgets").joinpath("state.schema.json").read_text())
        jsonschema.validate({"version_major": 2, "version_minor": 0, "state": messages["states"]}, schema)
        return messages["states"]

    def hear_states(self) -> dict:
        request = self.send("comm_msg", comm_id="asks", data={"method": "request_states"})
        (answer,) = [message for message in self.until_idle(request) if message["msg_type"] == "comm_msg"]
        data = answer["content"]["data"]
        assert data["method"] == "update_states" and len(data["buffer_paths"]) == len(answer["buffers"])
        for (model, state, key), buffer in zip(data["buffer_paths"], answer["buffers"], strict=True):
            data["states"][model][state][key] = bytes(buffer).decode("latin1")
        return data
