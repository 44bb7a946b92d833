"""Tests of collie.py against the server at COLLIE_URL; `go test ./cmd/collie` runs them."""

import http.client
import inspect
import io
import json
import os
import re
import socket
import struct
import tempfile
import threading
import tracemalloc
import unittest
import urllib.error
import urllib.request
import zipfile
import zlib
from unittest import mock

import collie

SERVER = collie.Collie()


def png(width, height, rgb):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(rgb) * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Document(unittest.TestCase):
    def test_calls_are_those_of_the_document(self):
        request = urllib.request.Request(SERVER.url + "/api/v1/openapi.json", headers={"Authorization": "Bearer " + SERVER.token})
        with urllib.request.urlopen(request) as answer:
            document = json.load(answer)
        described, queries = {}, {}
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                described[operation["operationId"]] = (method.upper(), path)
                queries[operation["operationId"]] = {p["name"] for p in operation.get("parameters", []) if p["in"] == "query"}
        for operation, call in collie.CALLS.items():
            self.assertEqual(described.get(operation), call, operation)
        for operation, names in collie.QUERIES.items():
            self.assertLessEqual(set(names), queries[operation], operation)
        self.assertIn("multipart/form-data", document["paths"][collie.CALLS["uploadImages"][1]]["post"]["requestBody"]["content"])

    def test_every_call_is_used(self):
        used = set(re.findall(r'self\._(?:json|file|call|open)\("(\w+)"', inspect.getsource(collie.Collie)))
        self.assertEqual(used, set(collie.CALLS))


class Restarts(unittest.TestCase):
    def test_repeats_what_does_no_harm_twice(self):
        refused = urllib.error.URLError(ConnectionRefusedError())
        broken = http.client.RemoteDisconnected()
        for method, body, answers, calls in (
            ("projects", (), [refused, b"[]"], 1),  # a wrong address
            ("projects", (), [b"[]", refused, broken, b"[]"], 4),
            ("create_project", ("x",), [b"[]", refused, refused, b"{}"], 4),
            ("create_project", ("x",), [b"[]", broken, b"{}"], 2),  # it may have been created
        ):
            server = collie.Collie("http://collie.test", "secret")
            answers = [io.BytesIO(a) if isinstance(a, bytes) else a for a in answers]
            with mock.patch.object(server._opener, "open", side_effect=answers) as opened, mock.patch("time.sleep"):
                try:
                    if len(answers) > 2:
                        server.projects()
                    getattr(server, method)(*body)
                except OSError:
                    self.assertLess(calls, len(answers))
                self.assertEqual(opened.call_count, calls, method)


class Hearing(unittest.TestCase):
    def test_answer_before_the_whole_request(self):
        """A server that refuses a file without reading it is heard."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def refuse():
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                body = b'{"detail": "The disk is full."}'
                connection.sendall(b"HTTP/1.1 507 Insufficient Storage\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

        server = threading.Thread(target=refuse)
        server.start()
        self.addCleanup(server.join)
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(32 << 20)
            with self.assertRaisesRegex(collie.Problem, "disk is full") as refused:
                collie.Collie("http://127.0.0.1:%d" % listener.getsockname()[1]).upload("p", file.name)
        self.assertEqual(refused.exception.status, 507)

    def test_files_are_sent_piece_by_piece(self):
        """A file doesn't have to fit into memory, and is sent whole again when the server was busy."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        received = []

        def receive():
            for status, body in (("503 Service Unavailable", b"{}"), ("201 Created", b"[]")):
                connection, _ = listener.accept()
                with connection, connection.makefile("rb") as stream:
                    length = 0
                    while (line := stream.readline().strip()) != b"":
                        if line.lower().startswith(b"content-length:"):
                            length = int(line.split(b":")[1])
                    left = length
                    while left > 0 and (block := stream.read(min(left, 1 << 20))):
                        left -= len(block)
                    received.append((length, left))
                    connection.sendall(b"HTTP/1.1 %s\r\nRetry-After: 0\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), len(body), body))

        server = threading.Thread(target=receive)
        server.start()
        self.addCleanup(server.join)
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(64 << 20)
            tracemalloc.start()
            self.addCleanup(tracemalloc.stop)
            self.assertEqual(collie.Collie("http://127.0.0.1:%d" % listener.getsockname()[1]).upload("p", file.name), [])
            self.assertLess(tracemalloc.get_traced_memory()[1], 16 << 20)
        self.assertEqual([left for _, left in received], [0, 0])
        self.assertEqual(received[0], received[1])
        self.assertGreater(received[0][0], 64 << 20)

    def test_dates_say_when_to_try_again(self):
        server = collie.Collie("http://collie.test")
        headers = http.client.HTTPMessage()
        headers["Retry-After"] = "Wed, 21 Oct 2026 07:28:00 GMT"
        busy = urllib.error.HTTPError(server.url, 503, "", headers, io.BytesIO())
        with mock.patch.object(server._opener, "open", side_effect=[busy, io.BytesIO(b"[]")]), mock.patch("time.sleep"):
            self.assertEqual(server.projects(), [])


class Work(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.project = SERVER.create_project(self.id(), ["sky", {"name": "sea", "color": "#0000ff"}])
        self.addCleanup(SERVER.trash_project, self.project["id"])

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(content)
        return path

    def test_from_upload_to_export(self):
        self.assertEqual(SERVER.whoami()["scope"], "admin")
        self.assertEqual(SERVER.find_project(self.id())["id"], self.project["id"])
        self.assertEqual(SERVER.project(self.project["id"])["classes"][1]["color"], "#0000ff")
        (uploaded,) = SERVER.upload(self.project["id"], self.write("blue ü.png", png(64, 48, (10, 20, 200))))
        self.assertEqual((uploaded["name"], uploaded["width"], uploaded["height"]), ("blue ü.png", 64, 48))
        (again,) = SERVER.upload(self.project["id"], self.write("blue ü.png", png(64, 48, (10, 20, 200))), present="skip")
        self.assertEqual((again["id"], again.get("present")), (uploaded["id"], True))
        image = SERVER.image(uploaded["id"])
        with self.assertRaises(TimeoutError):
            SERVER.wait(self.project["id"], seconds=0, every=0.01)
        answer = SERVER.append(image["id"], "label", superpixels=list(range(image["regions"])), class_=1)
        self.assertEqual(answer["seq"], 1)
        with self.assertRaises(collie.Problem) as stale:
            SERVER.append(image["id"], "label", superpixels=[0], class_=0, expected_seq=0)
        self.assertEqual(stale.exception.status, 409)
        self.assertEqual([e["kind"] for e in SERVER.evidence(image["id"])["events"]], ["label"])
        self.assertEqual([i["status"] for i in SERVER.wait(self.project["id"], seconds=5, every=0.01)], ["done"])
        (approved,) = SERVER.review(self.project["id"], [image["id"]], "approved")
        self.assertEqual(approved["review"]["status"], "approved")
        (nobodys,) = SERVER.assign(self.project["id"], [image["id"]], "")
        self.assertNotIn("assignee", nobodys)
        with self.assertRaisesRegex(collie.Problem, "nobody-here"):
            SERVER.assign(self.project["id"], [image["id"]], "nobody-here")
        SERVER.trash_images(self.project["id"], [image["id"]])
        self.assertEqual(SERVER.images(self.project["id"]), [])
        SERVER.trash_images(self.project["id"], [image["id"]], trashed=False)
        self.assertEqual(len(SERVER.images(self.project["id"])), 1)
        self.assertIn("hypotheses", SERVER.hypotheses(image["id"], count=3))
        for content in (SERVER.mask(image["id"]), SERVER.mask(image["id"], style="colour"), SERVER.superpixels(image["id"])):
            self.assertTrue(content.startswith(b"\x89PNG"))
        path = os.path.join(self.folder, "out.zip")
        report = SERVER.export(self.project["id"], path, "index-png", drafts=True)
        self.assertEqual(len(report["images"]), 1)
        with zipfile.ZipFile(path) as archive:
            (mask,) = [n for n in archive.namelist() if n.startswith("masks/")]
            again = SERVER.import_masks(self.project["id"], self.write("blue ü.png", archive.read(mask)))
        self.assertEqual([i.get("problem") for i in again["images"]], [None])
        mapped = SERVER.import_masks(self.project["id"], os.path.join(self.folder, "blue ü.png"), mapping={1: "wave", "0": None})
        self.assertEqual([(v["value"], v["class"]) for v in mapped["values"]], [("1", "wave")])
        self.assertEqual([c["name"] for c in SERVER.project(self.project["id"])["classes"]], ["sky", "sea", "wave"])
        path = os.path.join(self.folder, "labels.zip")
        SERVER.export(self.project["id"], path, "label-images", drafts=True)
        again = SERVER.import_masks(self.project["id"], path, mapping={"objects": "wave"}, numbers="objects")
        self.assertEqual([i.get("problem") for i in again["images"]], [None])
        self.assertEqual([(v["value"], v["class"]) for v in again["values"]], [("objects", "wave")])
        self.assertEqual(sorted(os.listdir(self.folder)), ["blue ü.png", "labels.zip", "out.zip"])

    def test_names_with_quotation_marks(self):
        for name in ('6" lens.png', '"', 'é".png'):
            image = SERVER.upload(self.project["id"], self.write("a.png", png(64, 48, (9, 9, 9))), name=name)[0]
            self.assertEqual(image["name"], name)

    def test_refusals(self):
        with self.assertRaises(collie.Problem) as unreadable:
            SERVER.upload(self.project["id"], self.write("notes.txt", b"not an image"))
        self.assertEqual(unreadable.exception.status, 415)
        with self.assertRaises(collie.Problem) as unknown:
            SERVER.export(self.project["id"], os.path.join(self.folder, "x.zip"), "postcard")
        self.assertEqual(unknown.exception.status, 422)
        self.assertIn("coco", str(unknown.exception))
        with self.assertRaises(collie.Problem) as option:
            SERVER.export(self.project["id"], os.path.join(self.folder, "x.zip"), "index-png", drafts=True, colour="red")
        self.assertIn('no "colour"', str(option.exception))
        self.assertNotIn("x.zip", os.listdir(self.folder))
        with self.assertRaises(collie.Problem) as stranger:
            collie.Collie(token="collie_wrong").projects()
        self.assertEqual(stranger.exception.status, 401)
        with self.assertRaisesRegex(ValueError, "line break"):
            SERVER.upload(self.project["id"], self.write("a.png", b""), name="a\nb.png")
        with self.assertRaises(LookupError):
            SERVER.find_project("no such project")
        with self.assertRaisesRegex(LookupError, "no images"):
            SERVER.wait(self.project["id"], seconds=5)


if __name__ == "__main__":
    unittest.main()
