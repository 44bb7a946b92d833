"""Use a Collie server from Python 3.9 or later; needs nothing but the standard library.

    from collie import Collie

    server = Collie()  # COLLIE_URL and COLLIE_TOKEN, or Collie(url, token)
    project = server.find_project("Beach")
    for image in server.images(project["id"]):
        print(image["name"], image["status"])

Methods return what the server answers, as dicts and lists; the page /api on the
server describes the fields. What the server refuses raises Problem, whose text
says why.
"""

import json
import os
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

# The calls that methods make: the operationId in the server's OpenAPI document,
# and its method and path. A test compares them with the document.
CALLS = {
    "getSession": ("GET", "/api/v1/session"),
    "listProjects": ("GET", "/api/v1/projects"),
    "createProject": ("POST", "/api/v1/projects"),
    "getProject": ("GET", "/api/v1/projects/{id}"),
    "trashProject": ("DELETE", "/api/v1/projects/{id}"),
    "listImages": ("GET", "/api/v1/projects/{id}/images"),
    "uploadImages": ("POST", "/api/v1/projects/{id}/images"),
    "setReviews": ("PUT", "/api/v1/projects/{id}/reviews"),
    "assignImages": ("PUT", "/api/v1/projects/{id}/assignments"),
    "trashImages": ("PUT", "/api/v1/projects/{id}/trash"),
    "importMasks": ("POST", "/api/v1/projects/{id}/imports"),
    "startExport": ("POST", "/api/v1/projects/{id}/exports"),
    "getExport": ("GET", "/api/v1/exports/{id}"),
    "getExportFile": ("GET", "/api/v1/exports/{id}/file"),
    "getImage": ("GET", "/api/v1/images/{id}"),
    "listEvidence": ("GET", "/api/v1/images/{id}/evidence"),
    "appendEvidence": ("POST", "/api/v1/images/{id}/evidence"),
    "listHypotheses": ("GET", "/api/v1/images/{id}/hypotheses"),
    "getMask": ("GET", "/api/v1/images/{id}/mask.png"),
    "getSuperpixelsPNG": ("GET", "/api/v1/images/{id}/superpixels.png"),
}

# Parameters in the query that methods send, by operationId.
QUERIES = {
    "uploadImages": ["present"],
    "importMasks": ["numbers", "uncovered"],
    "listEvidence": ["after"],
    "listHypotheses": ["count"],
    "getMask": ["of", "rank", "style"],
}


class Problem(Exception):
    """What the server refused, and why; status is that of HTTP."""

    def __init__(self, status, detail):
        super().__init__(detail)
        self.status = status


class _Hearing:
    """Reads answers of servers that read no more of a request, for example because the token is wrong."""

    def do_open(self, connection, request, **options):
        class Hearing(connection):
            def send(self, data):
                try:
                    super().send(data)
                except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                    if self.sock is None:
                        raise

        return super().do_open(Hearing, request, **options)


class _HTTP(_Hearing, urllib.request.HTTPHandler):
    pass


class _HTTPS(_Hearing, urllib.request.HTTPSHandler):
    pass


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The token goes to the given address and nowhere else."""

    def redirect_request(self, *_):
        return None


class _Form:
    """A body with a file that can be larger than the memory; each try reads it again."""

    def __init__(self, head, file, tail):
        self._head, self._file, self._tail = head, file, tail
        self.size = len(head) + file.seek(0, os.SEEK_END) + len(tail)

    def __iter__(self):
        yield self._head
        self._file.seek(0)
        while block := self._file.read(1 << 20):
            yield block
        yield self._tail


class Collie:
    """A server; timeout is in seconds, for each wait for an answer."""

    def __init__(self, url=None, token=None, timeout=300):
        self.url = (url or os.environ.get("COLLIE_URL") or "http://127.0.0.1:8080").rstrip("/")
        self.token = (token or os.environ.get("COLLIE_TOKEN") or "").strip()
        self.timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects, _HTTP, _HTTPS)
        self._answered = False

    # Projects

    def whoami(self):
        """The user whom the token belongs to."""
        return self._json("getSession")

    def projects(self):
        return self._json("listProjects")

    def project(self, project_id):
        return self._json("getProject", project_id)

    def find_project(self, name):
        """The project of an id, or of a name that only one project has."""
        found = [p for p in self.projects() if name in (p["id"], p["name"])]
        if len(found) != 1:
            raise LookupError(f"{len(found)} projects have the id or name {name!r}")
        return found[0]

    def create_project(self, name, classes=None):
        """Create a project; classes are names, or dicts with name and color."""
        body = {"name": name}
        if classes:
            body["classes"] = [{"name": c} if isinstance(c, str) else c for c in classes]
        return self._json("createProject", body=body)

    def trash_project(self, project_id):
        """Move a project to the trash, where it stays for 30 days."""
        self._json("trashProject", project_id)

    # Images

    def images(self, project_id):
        return self._json("listImages", project_id)

    def image(self, image_id):
        return self._json("getImage", image_id)

    def upload(self, project_id, path, name=None, present="add"):
        """Upload an image or a zip archive; returns an entry for each image.

        Entries of files that can't be used have the status failed and a problem.
        With present="skip" what the project has by name and content is not added
        again, so that a script can send files again after an interruption.
        """
        return self._file("uploadImages", project_id, path, name, {"present": present})

    def review(self, project_id, image_ids, status, comment=""):
        """Set the status of images: todo, progress, done, approved, rejected, or "" for none.

        Rejecting needs a comment. Returns the images.
        """
        return self._json("setReviews", project_id, body={"images": list(image_ids), "status": status, "comment": comment})

    def assign(self, project_id, image_ids, member):
        """Say which member of the project is to work on images, "" for nobody. Returns the images."""
        return self._json("assignImages", project_id, body={"images": list(image_ids), "assignee": member})

    def trash_images(self, project_id, image_ids, trashed=True):
        """Move images to the trash, where they stay for 30 days, or restore them."""
        self._json("trashImages", project_id, body={"images": list(image_ids), "trashed": trashed})

    def import_masks(self, project_id, path, name=None, uncovered="background", mapping=None, numbers="classes"):
        """Import masks, or classifier scores or embeddings in a .npz or .npy file; returns the report.

        Its images that nothing could be imported for have a problem; only a call without
        any file that can be used raises one.

        With numbers="objects" PNGs and TIFFs are label images, as cellpose and StarDist
        write them: 0 is background and every other number one object. All objects have the
        class that mapping={"objects": "cell"} says, or the second one of two.

        The mapping says what values in masks become, such as {"1": "road", "2": None},
        where None is undecided: names of classes in the data set or, without names, indices.
        """
        parts = None if mapping is None else {"mapping": json.dumps(mapping)}
        return self._file("importMasks", project_id, path, name, {"numbers": numbers, "uncovered": uncovered}, parts)

    def wait(self, project_id, seconds=None, every=10):
        """Wait until all images are labelled everywhere: until the status of each is done.

        A status by hand, in the image's review, doesn't count.
        TimeoutError after some seconds, LookupError if there are no images.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            images = self.images(project_id)
            if not images:
                raise LookupError("the project has no images; upload some first")
            left = sum(image["status"] != "done" for image in images)
            if not left:
                return images
            if end is not None and time.monotonic() > end:
                raise TimeoutError(f"images that are not done: {left} of {len(images)}")
            time.sleep(every)

    # Labels

    def evidence(self, image_id, after=0):
        """The events of an image after a number: clicks, picks and so on."""
        return self._json("listEvidence", image_id, query={"after": after})

    def append(self, image_id, kind, **fields):
        """Append an event, such as append(id, "label", points=[[x, y]], class_=1).

        Fields are those of NewEvent in the OpenAPI document; class_ stands for
        class. Somebody else's event in between is a Problem of status 409. With an id
        of your own a call whose answer got lost can be made again: it is stored once.
        """
        event = {("class" if k == "class_" else k): v for k, v in fields.items()}
        event.setdefault("id", uuid.uuid4().hex)
        if "expected_seq" not in event:
            event["expected_seq"] = self.image(image_id)["seq"]
        return self._json("appendEvidence", image_id, body={**event, "kind": kind})

    def hypotheses(self, image_id, count=20):
        """The hypotheses for the current evidence, with a class per superpixel."""
        return self._json("listHypotheses", image_id, query={"count": count})

    def mask(self, image_id, of="labelling", rank=0, style="index"):
        """A mask as a PNG of the image's size, in bytes."""
        query = {"of": of, "style": style}
        if of == "hypothesis":
            query["rank"] = rank
        return self._call("getMask", image_id, query=query)

    def superpixels(self, image_id):
        """The superpixel map as a 16-bit PNG whose pixels are ids, in bytes."""
        return self._call("getSuperpixelsPNG", image_id)

    def export(self, project_id, path, format="index-png", **options):
        """Export a project to a zip file; returns the report.

        The file is complete or not there. Options are those of ExportOptions in
        the OpenAPI document; one that the server doesn't know is a Problem of status 422.
        """
        started = self._json("startExport", project_id, body={"format": format, "options": options})
        wait = 0.05
        while True:
            status = self._json("getExport", started["id"])
            if status["status"] == "failed":
                raise Problem(500, status.get("problem", "The export failed."))
            if status["status"] == "done":
                break
            time.sleep(wait)
            wait = min(2 * wait, 2)
        part = f"{path}.part"
        try:
            with self._open("getExportFile", started["id"]) as answer, open(part, "wb") as out:
                while block := answer.read(1 << 20):
                    out.write(block)
            if os.path.getsize(part) != status["bytes"]:
                raise EOFError("the download broke off")
            os.replace(part, path)
        finally:
            if os.path.exists(part):
                os.remove(part)
        return status.get("report")

    # How calls are made

    def _json(self, operation, id=None, query=None, body=None):
        data, headers = None, {}
        if body is not None:
            data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        answer = self._call(operation, id, query, data, headers)
        return json.loads(answer) if answer else None

    def _file(self, operation, id, path, name, query=None, parts=None):
        name = name or os.path.basename(path)
        if "\r" in name or "\n" in name:
            raise ValueError(f"the file name {name!r} has a line break, which can't be sent; give it another name")
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        boundary = uuid.uuid4().hex
        head = "".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{part}"\r\n\r\n{text}\r\n' for part, text in (parts or {}).items())
        head += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        with open(path, "rb") as file:
            form = _Form(head.encode(), file, f"\r\n--{boundary}--\r\n".encode())
            headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Content-Length": str(form.size)}
            return json.loads(self._call(operation, id, query, form, headers))

    def _call(self, operation, id=None, query=None, data=None, headers=None):
        with self._open(operation, id, query, data, headers) as answer:
            return answer.read()

    def _open(self, operation, id=None, query=None, data=None, headers=None):
        """Make a call, again while the server is too busy for it or restarts.

        A call that may have changed something before its connection broke is not repeated.
        """
        method, path = CALLS[operation]
        url = self.url + path.replace("{id}", urllib.parse.quote(str(id), safe=""))
        if query:
            url += "?" + urllib.parse.urlencode(query)
        headers = dict(headers or {})
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        for tries_left in range(7, -1, -1):
            request = urllib.request.Request(url, data=data, headers=headers, method=method)
            try:
                answer = self._opener.open(request, timeout=self.timeout)
                self._answered = True
                return answer
            except urllib.error.HTTPError as error:
                self._answered = True
                with error:
                    if error.code in (429, 503) and tries_left:
                        wait = error.headers.get("Retry-After") or ""  # proxies send dates, too
                        time.sleep(min(int(wait), 60) if wait.isdecimal() else 2)
                        continue
                    raise Problem(error.code, _detail(error)) from None
            except (urllib.error.URLError, ConnectionError) as error:
                reason = getattr(error, "reason", error)
                again = isinstance(reason, ConnectionRefusedError) or method == "GET"
                if not self._answered or not tries_left or not again:
                    unsure = "" if again else ", so it is not known whether this was done"
                    raise urllib.error.URLError(f"{self.url} gave no answer: {reason}{unsure}") from error
                time.sleep(2)


def _detail(error):
    try:
        return json.loads(error.read())["detail"]
    except (ValueError, KeyError, TypeError):
        return f"{error.url} answered {error.code}: is it a Collie server?"
