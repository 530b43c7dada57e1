import { encodeId } from "#domain/ids.ts";
import { DOC_PAGES, docHref } from "#server/docs/pages.ts";
import type { SeededAccount } from "./seed.ts";

/** Who looks at a page: nobody, the owner of an account, or an administrator. */
export type Viewer = "nobody" | "owner" | "admin";

export type ListedPage = {
  viewer: Viewer;
  /** Its addresses by the state that each shows. Pages of administrators get the account that they look at. An account without anything has those that need no id. */
  states: (account: SeededAccount | null) => Record<string, string>;
};

/**
 * Every page, by its route in app/. The pictures of `npm run shots`, the test of all pages and the measurement of pages
 * take what is listed here and exists. A page that is not listed fails the unit tests.
 */
export const PAGES: Readonly<Record<string, ListedPage>> = {
  "/": everybody({ shown: "/" }),
  "/try": everybody({ shown: "/try" }),
  "/try/[id]": everybody({ missing: "/try/sch_00000000000000000000000000" }),
  "/login": everybody({ shown: "/login", refused: "/login?error=link_invalid" }),
  "/login/sent": everybody({ shown: "/login/sent?email=ada%40example.com" }),
  "/login/confirm": everybody({ shown: "/login/confirm?token=none&email=ada%40example.com" }),
  "/unsubscribe": everybody({ refused: "/unsubscribe?token=none" }),
  "/status": everybody({ shown: "/status" }),
  "/docs": everybody({ shown: "/docs" }),
  "/docs/[page]": everybody(Object.fromEntries(DOC_PAGES.slice(1).map((page) => [page.slug, docHref(page)]))),
  "/docs/search": everybody({
    shown: "/docs/search",
    found: "/docs/search?q=rotate+signing+secrets",
    some: "/docs/search?q=cancle+a+schedule",
    "no-match": "/docs/search?q=xylophone",
    "no-words": "/docs/search?q=%3F%21",
    "too-long": `/docs/search?q=${"long+".repeat(41)}`,
  }),
  "/docs/api": everybody({ shown: "/docs/api", "for-key": "/docs/api?for=key" }),
  "/docs/api/[group]": everybody({
    schedules: "/docs/api/schedules",
    delivery: "/docs/api/delivery",
    account: "/docs/api/account",
  }),
  "/[...missing]": everybody({ missing: "/no-such-page" }),
  "/overview": owners({ shown: "/overview", week: "/overview?period=7d", test: "/overview?env=test" }),
  "/schedules": owners({
    shown: "/schedules",
    "no-match": "/schedules?q=nothing-has-this",
    dead: "/schedules?status=dead",
    test: "/schedules?env=test",
  }),
  "/schedules/new": owners({ shown: "/schedules/new" }),
  "/schedules/[id]": {
    viewer: "owner",
    states: (account) => ({
      ...statesAt("/schedules", account?.schedules),
      missing: `/schedules/${NO_SCHEDULE}`,
    }),
  },
  "/schedules/[id]/cancel": ofSchedule("scheduled", "cancel"),
  "/schedules/[id]/fire": ofSchedule("failed", "fire"),
  "/schedules/[id]/replay": ofSchedule("dead", "replay"),
  "/schedules/[id]/reschedule": ofSchedule("scheduled", "reschedule"),
  "/schedules/confirm": owners({ shown: "/schedules/confirm?action=cancel&all=1&status=scheduled" }),
  "/schedules/operations": owners({ shown: "/schedules/operations" }),
  "/schedules/operations/[id]": {
    viewer: "owner",
    states: (account) => ({
      ...statesAt("/schedules/operations", account?.operations),
      missing: "/schedules/operations/op_00000000000000000000000000",
    }),
  },
  "/recurrences": owners({ shown: "/recurrences" }),
  "/recurrences/one": {
    viewer: "owner",
    states: (account) => ({
      new: "/recurrences/one",
      ...Object.fromEntries(
        Object.entries(account?.recurrences ?? {}).map(([state, key]) => [state, ofRecurrence("one", key)]),
      ),
      missing: ofRecurrence("one", "no-such-key"),
    }),
  },
  "/recurrences/delete": ofAccount(({ recurrences }) => ofRecurrence("delete", recurrences?.active ?? "no-such-key")),
  "/logs": owners({
    shown: "/logs",
    failed: "/logs?outcome=failed",
    "no-match": "/logs?q=nothing-has-this",
    test: "/logs?env=test",
  }),
  "/usage": owners({ shown: "/usage" }),
  "/keys": owners({ shown: "/keys" }),
  "/keys/new": owners({ shown: "/keys/new" }),
  "/keys/created": owners({ shown: "/keys/created" }),
  "/keys/[id]/revoke": ofKey("revoke"),
  "/keys/[id]/rotate": ofKey("rotate"),
  "/signing": owners({ shown: "/signing", test: "/signing?env=test" }),
  "/signing/rotate": owners({ shown: "/signing/rotate" }),
  "/relay": owners({ shown: "/relay" }),
  "/account": owners({ shown: "/account" }),
  "/account/events": owners({ shown: "/account/events", beyond: "/account/events?page=9" }),
  "/account/identities/new": owners({ shown: "/account/identities/new" }),
  "/account/identities/[id]": {
    viewer: "owner",
    states: (account): Record<string, string> =>
      account?.identityId ? { shown: `/account/identities/${account.identityId}` } : {},
  },
  "/account/delete": owners({ shown: "/account/delete" }),
  "/account/continue": owners({ shown: "/account/continue" }),
  "/deleted": everybody({ shown: "/deleted" }),
  "/admin": { viewer: "admin", states: () => ({ shown: "/admin" }) },
  "/admin/log": { viewer: "admin", states: () => ({ shown: "/admin/log" }) },
  "/admin/accounts/[id]": ofOtherAccount(""),
  "/admin/accounts/[id]/deactivate": ofOtherAccount("/deactivate"),
  "/admin/accounts/[id]/reactivate": ofOtherAccount("/reactivate"),
};

const NO_SCHEDULE = "sch_00000000000000000000000000";

/** The page of each thing below `path`, by its state. */
function statesAt(path: string, ids: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(ids).map(([state, id]) => [state, `${path}/${id}`]));
}

function ofRecurrence(page: string, key: string): string {
  return `/recurrences/${page}?key=${encodeURIComponent(key)}`;
}

function everybody(states: Record<string, string>): ListedPage {
  return { viewer: "nobody", states: () => states };
}

function owners(states: Record<string, string>): ListedPage {
  return { viewer: "owner", states: () => states };
}

function ofSchedule(state: string, act: string): ListedPage {
  return ofAccount((account) => `/schedules/${account.schedules[state]}/${act}`);
}

function ofKey(act: string): ListedPage {
  return ofAccount((account) => `/keys/${account.keyId}/${act}`);
}

function ofOtherAccount(act: string): ListedPage {
  return { ...ofAccount(({ id }) => `/admin/accounts/${encodeId("acc", id)}${act}`), viewer: "admin" };
}

function ofAccount(pathOf: (account: SeededAccount) => string): ListedPage {
  return {
    viewer: "owner",
    states: (account): Record<string, string> => (account ? { shown: pathOf(account) } : {}),
  };
}
