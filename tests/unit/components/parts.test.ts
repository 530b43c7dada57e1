import { createElement as h, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { LatenessCell } from "#components/charts/lateness-cell.tsx";
import { LatenessHistogram } from "#components/charts/lateness-histogram.tsx";
import { PunctualityNow } from "#components/landing/punctuality-now.tsx";
import { DashboardNav } from "#components/layout/dashboard-nav.tsx";
import { FailureCard } from "#components/layout/failure-card.tsx";
import { SIGN_IN_FAILURE_CODES, signInFailure } from "#components/sign-in/failures.ts";
import { SignInCard } from "#components/sign-in/sign-in-card.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Checkbox, Switch } from "#components/ui/choice.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Pager } from "#components/ui/pager.tsx";
import { Status } from "#components/ui/status.tsx";
import { Segments, Tabs } from "#components/ui/tabs.tsx";
import { Target } from "#components/ui/target.tsx";
import { RelativeTime } from "#components/ui/time.tsx";
import { STATUSES } from "#domain/states.ts";
import { readTheme } from "#domain/theme.ts";
import { renderDashboard, renderEdges, renderGallery } from "#tests/helpers/gallery.tsx";

const html = (element: ReactElement) => renderToStaticMarkup(element);
const words = (element: ReactElement) => html(element).replace(/<[^>]*>/g, "");

/** The attributes of the first element of this name. */
function attributesOf(markup: string, name: string): Record<string, string> {
  const [, text = ""] = new RegExp(`<${name}\\b([^>]*)>`).exec(markup) ?? [];
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key?.toLowerCase(), value]),
  );
}

it("an exact time has as much of its date as differs from the day that is shown, in the zone that is shown", () => {
  const of = (at: string, zone: string) =>
    words(h(ExactTime, { at: new Date(at), zone, day: new Date("2026-01-02T10:00:00Z") }));
  expect(of("2026-01-02T09:00:00.250Z", "UTC")).toBe("09:00:00.250");
  expect(of("2026-01-01T09:00:00.250Z", "UTC")).toBe("1 Jan, 09:00:00.250");
  expect(of("2025-12-31T23:30:00Z", "UTC")).toBe("31 Dec 2025, 23:30:00.000");
  expect(of("2025-12-31T23:30:00Z", "Europe/Berlin")).toBe("1 Jan, 00:30:00.000");
});

it("no component writes a style attribute, which the pages' Content-Security-Policy refuses", () => {
  for (const markup of [renderGallery(), renderEdges(), renderDashboard("live"), renderDashboard("test")]) {
    expect(markup).not.toMatch(/<[^>]* style=|<style|<script|<[^>]* on\w+=/);
  }
});

describe("a button", () => {
  it("submits no form unless its type says so", () => {
    expect(attributesOf(html(h(Button, null, "Go")), "button").type).toBe("button");
    expect(attributesOf(html(h(Button, { type: "submit" }, "Go")), "button").type).toBe("submit");
  });

  it("cannot be pressed while it is busy or disabled, and announces the reason", () => {
    expect(attributesOf(html(h(Button, { busy: true }, "Saving")), "button")).toMatchObject({
      disabled: "",
      "aria-busy": "true",
    });
    const off = html(h(Button, { reason: "It is firing." }, "Cancel"));
    const { disabled, "aria-describedby": by } = attributesOf(off, "button");
    expect(disabled).toBe("");
    expect(off).toContain(`<span id="${by}"`);
    expect(off).toContain("It is firing.");
  });

  it("that leads somewhere is a link, not a button", () => {
    expect(html(h(ButtonLink, { href: "/login" }, "Sign in"))).toMatch(/^<a href="\/login"/);
  });
});

describe("a field", () => {
  it("has a label, and its hint is part of its accessible description", () => {
    const markup = html(h(TextField, { label: "Key", name: "key", hint: "Optional." }));
    const input = attributesOf(markup, "input");
    expect(attributesOf(markup, "label").for).toBe(input.id);
    expect(markup).toContain(`<p id="${input["aria-describedby"]}"`);
    expect(input["aria-invalid"]).toBeUndefined();
  });

  it("keeps what was typed after a validation error, and shows the error in place of the hint", () => {
    const markup = html(
      h(TextField, { label: "Key", name: "key", hint: "Optional.", error: "Too long.", defaultValue: "typed" }),
    );
    expect(attributesOf(markup, "input")).toMatchObject({ value: "typed", "aria-invalid": "true" });
    expect(markup).toContain(`<p id="${attributesOf(markup, "input")["aria-describedby"]}"`);
    expect(markup).not.toContain("Optional.");
  });

  it("has an id of its own beside another field of the same name", () => {
    const two = html(
      h("form", null, h(TextField, { label: "A", name: "email" }), h(TextField, { label: "B", name: "email" })),
    );
    const ids = [...two.matchAll(/<input[^>]* id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(2);
  });
});

it("a switch is a checkbox with the role of a switch, and clicking the label of either toggles it", () => {
  expect(attributesOf(html(h(Switch, { name: "s", label: "On" })), "input")).toMatchObject({
    type: "checkbox",
    role: "switch",
  });
  expect(html(h(Checkbox, { name: "c", label: "Yes" }))).toMatch(/<label[^>]*><input/);
});

describe("the summary of a form's errors", () => {
  it("has the focus of the page, is announced at once, counts the errors and links to each field", () => {
    const markup = html(
      h(ErrorSummary, {
        problems: [
          { id: "url", message: "Name a URL." },
          { id: "when", message: "Has passed." },
        ],
      }),
    );
    expect(attributesOf(markup, "div")).toMatchObject({ tabindex: "-1", autofocus: "" });
    expect(markup).toContain('<div role="alert"');
    expect(markup).toContain("2 fields need another look.");
    expect(markup).toMatch(/<a href="#url"[^>]*>Name a URL\.<\/a>[\s\S]*<a href="#when"/);
  });

  it("is absent when there are no errors", () => {
    expect(html(h(ErrorSummary, { problems: [] }))).toBe("");
  });
});

it("a notice is announced by a screen reader only when its announce property asks for it", () => {
  expect(attributesOf(html(h(Notice, null, "x")), "div").role).toBeUndefined();
  expect(attributesOf(html(h(Notice, { announce: "status" }, "x")), "div").role).toBe("status");
});

it.each(STATUSES)("the status %s is written as a word, beside a sign that a screen reader skips", (status) => {
  for (const badge of [false, true]) {
    expect(words(h(Status, { status, badge }))).toBe(status === "failed" ? "retrying" : status);
    expect(html(h(Status, { status, badge }))).toContain('aria-hidden="true"');
  }
});

describe("a lateness in a table", () => {
  it("is a number with its sign, beside a picture that a screen reader skips", () => {
    expect(words(h(LatenessCell, { ms: 4 }))).toBe("+4 ms");
    expect(words(h(LatenessCell, { ms: -18, isTwoSided: true }))).toBe("−18 ms");
    expect(attributesOf(html(h(LatenessCell, { ms: 4 })), "svg")["aria-hidden"]).toBe("true");
  });

  it("is marked late above 250 ms and not at 250 ms", () => {
    expect(html(h(LatenessCell, { ms: 250 }))).not.toContain("warn");
    expect(html(h(LatenessCell, { ms: 251 }))).toContain("warn");
  });

  it("is a dash before anything was sent, which a screen reader reads as words", () => {
    expect(words(h(LatenessCell, { ms: null }))).toBe("—not sent");
  });
});

describe("the picture of a day", () => {
  it("is one sentence for a screen reader", () => {
    const counts = [
      { ms: 0, count: 1_000 },
      { ms: 4, count: 900 },
      { ms: 300, count: 2 },
    ];
    expect(
      attributesOf(html(h(LatenessHistogram, { counts, p50: 0, p95: 4, hrefOf: () => "#" })), "svg"),
    ).toMatchObject({
      role: "img",
      "aria-label":
        "How late 1,902 requests were. Half were sent within 0 ms of when they were due, 95 % within +4 ms, 2 more than 250 ms late.",
    });
  });

  it("says that nothing was sent when that is so, and then draws no bracket", () => {
    const markup = html(h(LatenessHistogram, { counts: [], p50: 0, p95: 0, hrefOf: () => "#" }));
    expect(attributesOf(markup, "svg")["aria-label"]).toBe("How late: nothing was sent.");
    expect(markup).not.toContain("p50");
  });

  it("shows no figure that could not be read or was not measured", () => {
    const now = new Date("2026-03-27T14:32:07.000Z");
    expect(words(h(PunctualityNow, { figures: null, now }))).not.toMatch(/\d/);
    const none = { sent: 0, onTimeRate: 0, onTimeWithinMs: 250, p50: 0, p95: 0, updatedAt: now, histogram: [] };
    const markup = words(h(PunctualityNow, { figures: none, now }));
    expect(markup).toContain("No request in the last 24 hours");
    expect(markup).not.toMatch(/Half of all|On time\d/);
  });
});

describe("a time", () => {
  const now = new Date("2026-03-27T14:32:07.000Z");
  it("that is relative has its instant in the markup, on hover and for screen readers", () => {
    const markup = html(h(RelativeTime, { at: new Date("2026-03-27T14:31:51.000Z"), now, zone: "Europe/Berlin" }));
    expect(attributesOf(markup, "time")).toEqual({
      datetime: "2026-03-27T14:31:51.000Z",
      title: "27 March 2026, 14:31:51.000 UTC · 27 March 2026, 15:31:51.000 Europe/Berlin",
    });
    expect(words(h(RelativeTime, { at: now, now }))).toBe("now, 27 March 2026, 14:32:07.000 UTC");
  });
});

describe("navigation", () => {
  it("marks the current tab and the current choice", () => {
    const tabs = [
      { href: "?a", label: "All", count: 1_284, isCurrent: true },
      { href: "?b", label: "Dead" },
    ];
    expect(html(h(Tabs, { label: "Status", tabs })).match(/aria-current="page"/g)).toHaveLength(1);
    const choices = [
      { href: "?24h", label: "24h", isCurrent: true },
      { href: "?30d", label: "30d", locked: "Free keeps 7 days" },
    ];
    const segments = html(h(Segments, { label: "Period", choices }));
    expect(segments).not.toContain('href="?30d"');
    expect(segments).toContain("Free keeps 7 days");
  });

  it("has no link to a page of a list that does not exist", () => {
    const first = html(h(Pager, { from: 1, to: 20, total: 21, next: "?offset=20" }));
    expect(first.match(/<a /g)).toHaveLength(1);
    expect(first).toMatch(/rel="next"/);
    expect(words(h(Pager, { from: 1, to: 20, total: 10_000, isCapped: true }))).toContain("1–20 of more than 10,000");
    expect(words(h(Pager, { from: 0, to: 0, total: 0 }))).toContain("None");
  });

  it("shows Admin to administrators alone, and marks the list as current on the page of one of its items", () => {
    const nav = (isAdmin: boolean) => html(h(DashboardNav, { env: "live", current: "/schedules/sch_1", isAdmin }));
    expect(nav(true)).toContain('href="/admin"');
    expect(nav(false)).not.toContain('href="/admin"');
    expect(nav(false)).toMatch(/href="\/schedules"[^>]*aria-current="page"/);
    expect(nav(false).match(/aria-current/g)).toHaveLength(1);
  });

  it("writes a target URL as text and not as a link or markup", () => {
    const url = "https://example.com/<script>?q=\"'";
    expect(html(h(Target, { method: "POST", url }))).not.toContain("<script>");
    expect(words(h(Target, { method: "POST", url: "no address" }))).toBe("POSTno address");
  });
});

describe("the sign-in card", () => {
  const card = (props: object) => html(h(SignInCard, { action: "/login/start", providers: [], ...props }));

  it("posts the e-mail address, and the path to return to, to the given action", () => {
    const markup = card({ redirectTo: "/logs" });
    expect(attributesOf(markup, "form")).toMatchObject({ action: "/login/start", method: "post" });
    expect(markup).toMatch(/<input type="hidden" name="redirectTo" value="\/logs"/);
    expect(markup).toMatch(/<input[^>]* name="email"/);
  });

  it("offers the configured providers as plain links", () => {
    expect(card({})).not.toContain("Continue with");
    const offered = card({ providers: [{ id: "github", href: "/v1/auth/oauth/github/start" }] });
    expect(offered).toMatch(/<a href="\/v1\/auth\/oauth\/github\/start"[\s\S]*Continue with GitHub/);
    expect(offered).not.toContain("Google");
  });

  it.each(SIGN_IN_FAILURE_CODES)("announces at once why a sign-in failed and what to do: %s", (failure) => {
    const markup = card({ failure, email: "ana@example.com" });
    const { title, text, mayTry } = signInFailure(failure);
    expect(markup).toMatch(/role="alert"/);
    expect(markup).toContain(title);
    expect(markup).toContain(text);
    expect(markup.includes("<form")).toBe(mayTry);
    if (mayTry) expect(markup).toContain('value="ana@example.com"');
    else expect(markup).toContain('href="/login"');
  });

  it.each(["toString", "__proto__", "", "<b>"])("shows an unknown failure code (%j) as our own fault", (code) => {
    expect(signInFailure(code)).toBe(signInFailure("unavailable"));
  });
});

it("a failure card names the request when it has an id", () => {
  const card = (requestId?: string) => words(h(FailureCard, { title: "Not loaded", requestId }, "Try again."));
  expect(card("req_1")).toContain("Request req_1");
  expect(card()).not.toContain("Request");
});

it.each([undefined, "", "purple", "Dark", "dark;"])("the theme cookie %j means the theme of the system", (value) => {
  expect(readTheme(value)).toBe("system");
  expect(readTheme("dark")).toBe("dark");
});
