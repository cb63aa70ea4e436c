"""Every example of the guide to the page runs."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest
import uvicorn

import gmask
from gmask.cli import serve
from gmask.cli.app import app

ROOT = Path(__file__).parent.parent.parent
GUIDE = (ROOT / "docs" / "page.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODE, CONSOLE = ([text for kind, text in BLOCK.findall(GUIDE) if kind == wanted] for wanted in ("python", "console"))
COMMANDS = re.findall(r"^\$ ((?:[^\n#]*\\\n)*[^\n#]*)", "".join(CONSOLE), re.MULTILINE)
PLACE = "http://127.0.0.1:8000/"


@pytest.fixture(scope="module")
def address():
    command = [sys.executable, "-m", "gmask", "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield re.search(r"http://\S+", process.stdout.readline())[0]
    process.terminate()
    process.wait(60)


def test_the_guide_has_examples_of_each_kind():
    assert {command.split()[0] for command in COMMANDS} == {"gmask", "curl"}
    assert len(CODE) == 1


@pytest.mark.parametrize("command", [c.strip() for c in COMMANDS if c.startswith("gmask serve")])
def test_servers_start_as_the_guide_says(command, tmp_path, monkeypatch, capsys):
    (tmp_path / "my_models.py").write_text("def related(pairs):\n    return [0.5 for _ in pairs]\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "mine").symlink_to(Path(gmask.__file__).parent / "builtin" / "nli-dattn")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: sockets[0].close())
    monkeypatch.setattr(webbrowser, "open", lambda address: print(f"opened {address}"))
    listened = []
    monkeypatch.setattr(
        serve, "_listen", lambda host, port: listened.append((host, port)) or socket.create_server(("127.0.0.1", 0))
    )
    given = shlex.split(command)[1:]
    app(given, standalone_mode=False)
    said = capsys.readouterr().out
    assert ("offers mine, nli" in said) == ("--model" in given)
    assert ("opened http" in said) == ("--open" in given)
    assert (listened[0][0] != "127.0.0.1") == ("--host" in given)
    assert (listened[0][1] != 8000) == ("--port" in given)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("curl"), reason="no curl here")
def test_curl_asks_as_the_guide_says(address):
    (command,) = [c for c in COMMANDS if c.startswith("curl")]
    assert PLACE in command
    done = subprocess.run(command.replace(PLACE, address), shell=True, capture_output=True, text=True, check=True)
    assert gmask.Explanation.from_json(done.stdout).method == "leave-one-out"


@pytest.mark.slow
def test_python_asks_as_the_guide_says(address, capsys):
    assert PLACE in CODE[0]
    names: dict = {}
    exec(compile(CODE[0].replace(PLACE, address), "example", "exec"), names)
    assert names["e"].against == "neutral"
    assert "dogs" in names["e"].first
    assert capsys.readouterr().out.startswith(names["e"].label)
