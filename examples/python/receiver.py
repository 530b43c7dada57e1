"""Takes deliveries of Stopwatch, with the standard library alone: python3 receiver.py"""
import base64, hmac, json, os, threading, time, traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAMES = ("STOPWATCH_SECRET", "STOPWATCH_SECRET_NEXT")
KEYS = [base64.b64decode(os.environ[name].removeprefix("whsec_")) for name in NAMES]
if min(map(len, KEYS)) < 24: raise SystemExit("a signing secret is too short")
states = {}  # schedule id -> "busy" or "done"; a table of your database, once there is more than one process
lock = threading.Lock()


def on_delivery(body):
    """Returns the status to answer with, and the seconds until the next attempt."""
    order = json.loads(body)["order"]
    if order == "cancelled":
        return 410, None  # no attempt follows
    if order == "unpaid":
        return 503, 60  # the next attempt comes in 60 s, or later
    print(f"reminded of {order}", flush=True)
    return 200, None


def is_signed(headers, body):
    schedule_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if "." in schedule_id or not sent_at.isdecimal() or not abs(time.time() - float(sent_at)) <= 300:
        return False
    content = f"{schedule_id}.{sent_at}.".encode() + body
    macs = [b"v1," + base64.b64encode(hmac.digest(key, content, "sha256")) for key in KEYS]
    given = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(one, mac) for one in given for mac in macs)


def handle(headers, body):
    if not is_signed(headers, body):
        return 401, None
    schedule_id = headers["webhook-id"]
    with lock:
        if states.get(schedule_id):
            return (200, None) if states[schedule_id] == "done" else (503, 30)
        states[schedule_id] = "busy"
    try:
        status, retry_after = on_delivery(body)
    except Exception:
        traceback.print_exc()
        status, retry_after = 500, None
    states[schedule_id] = "done" if status == 200 else None
    return status, retry_after


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "0")
        is_small = length.isdecimal() and len(length) < 8
        status, retry_after = handle(self.headers, self.rfile.read(int(length))) if is_small else (413, None)
        self.send_response(status)
        if retry_after: self.send_header("Retry-After", str(retry_after))
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ.get("PORT", "4000"))), Receiver).serve_forever()
