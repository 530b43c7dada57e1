import { Confirm } from "#components/ui/confirm.tsx";
import { presentSigningSecrets, readOwnSigningSecrets } from "#server/signing-secrets/read.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn } from "../../view.ts";

export default dashboardPage("/signing/rotate", async ({ ctx, view }) => {
  const { current, next, rotated_at } = presentSigningSecrets(await readOwnSigningSecrets(ctx));
  const signing = { href: hrefIn(view.env, "/signing"), label: "Signing secrets" };
  return {
    title: "Rotate",
    documentTitle: "Rotate signing secrets",
    crumb: signing,
    narrow: true,
    body: (
      <Confirm
        title={`Rotate the ${view.env} secrets?`}
        action="/signing/rotate/confirm"
        fields={{ env: view.env, seen: rotated_at ?? "" }}
        label={`Rotate ${view.env} secrets`}
        keep={{ href: signing.href, label: "Not now" }}
      >
        <p>
          The next secret, which ends in <code>{next.slice(-4)}</code>, signs from now on. For 24 h each request carries
          a second signature, by <code>…{current.slice(-4)}</code>. A new next secret is made.
        </p>
        <p>A receiver that has neither secret then refuses requests. It cannot be undone.</p>
      </Confirm>
    ),
  };
});
