import { KeyTable } from "#components/keys/key-table.tsx";
import { KeysEmpty } from "#components/keys/keys-empty.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { listOwnApiKeys } from "#server/api-keys/list.ts";
import { presentApiKey } from "#server/api-keys/present.ts";
import { readPageNumber } from "#server/lists/list-query.ts";
import { dashboardPage } from "../dashboard-page.tsx";
import { hrefIn, hrefWith } from "../view.ts";

const PER_PAGE = 50;

export default dashboardPage("/keys", async ({ ctx, view }) => {
  const all = (await listOwnApiKeys(ctx)).map(presentApiKey);
  const keys = [...all.filter((key) => key.revoked_at === null), ...all.filter((key) => key.revoked_at !== null)];
  const pages = Math.max(1, Math.ceil(keys.length / PER_PAGE));
  const page = readPageNumber(view.params.page, pages);
  const pageHref = (to: number) => (to >= 1 && to <= pages ? hrefWith(view, { page: String(to) }) : undefined);
  const newHref = hrefIn(view.env, "/keys/new");
  return {
    title: "API keys",
    action: (
      <ButtonLink kind="primary" href={newHref}>
        New key
      </ButtonLink>
    ),
    body: (
      <>
        <FormOutcome message={view.flash && MESSAGES.get(view.flash.result)} error={view.params.error} words={FAILED} />
        {keys.length === 0 ? (
          <KeysEmpty newHref={newHref} />
        ) : (
          <KeyTable
            keys={keys.slice((page - 1) * PER_PAGE, page * PER_PAGE)}
            from={(page - 1) * PER_PAGE + 1}
            total={keys.length}
            previous={pageHref(page - 1)}
            next={pageHref(page + 1)}
            now={view.now}
            zone={view.zone}
            hrefOf={(id, act) => hrefIn(view.env, `/keys/${id}/${act}`)}
          />
        )}
      </>
    ),
  };
});

const MESSAGES = new Map<string, string>(
  Object.entries({
    revoked: "Revoked. API requests with this key get 401 from now on.",
    saved: "Saved. The key is not shown again.",
  }),
);

const FAILED = new Map(
  Object.entries({
    shown: "This key exists already; its value was shown when it was created. If you do not have it, rotate the key.",
    CONFLICT: "This key was revoked or rotated already.",
    NOT_FOUND: "There is no such API key.",
  }),
);
