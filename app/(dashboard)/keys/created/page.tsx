import { headers } from "next/headers";
import { NewKeyCard } from "#components/keys/new-key-card.tsx";
import { NoKeyToShow } from "#components/keys/no-key-to-show.tsx";
import { CREATED_PATH } from "#server/api-keys/forms.ts";
import { readHandOver } from "#server/http/sealed-value.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn } from "../../view.ts";

export const metadata = { referrer: "same-origin" as const };

export default dashboardPage(CREATED_PATH, async ({ ctx, view }) => {
  const shown = readHandOver(ctx, CREATED_PATH, (await headers()).get("cookie"));
  const keys = { href: hrefIn(view.env, "/keys"), label: "API keys" };
  const { key = "", name = "", env = "", result } = shown ?? {};
  return {
    title: "Your new key",
    crumb: keys,
    narrow: true,
    body:
      shown === null ? (
        <NoKeyToShow keysHref={keys.href} />
      ) : (
        <NewKeyCard
          name={name}
          env={env}
          value={key}
          replaced={result === "rotated" ? "ended" : result === "overlaps" ? "expires" : undefined}
          savedAction="/keys/saved"
          viewEnv={view.env}
        />
      ),
  };
});
