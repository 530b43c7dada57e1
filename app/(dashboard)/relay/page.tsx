import { RelayForm } from "#components/relay/relay-form.tsx";
import { SettingsTable } from "#components/relay/settings-table.tsx";
import { TestDeliveriesCard } from "#components/relay/test-deliveries-card.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { Tag } from "#components/ui/tag.tsx";
import { presentRelaySettings } from "#domain/relay-settings.ts";
import { readOwnRelaySettings } from "#server/relay-settings/read.ts";
import { dashboardPage } from "../dashboard-page.tsx";
import { draftOf, outcomeMessage, problemsOf } from "./draft.ts";

export default dashboardPage("/relay", async ({ ctx, view }) => {
  const saved = await readOwnRelaySettings(ctx);
  const { effective, limits, defaults } = presentRelaySettings(saved, ctx.limits);
  const typed = draftOf(view.params, saved);
  const problems = problemsOf(view.params.wrong);
  return {
    title: "Relay settings",
    tools: <Tag>live and test</Tag>,
    body: (
      <>
        <ErrorSummary problems={Object.entries(problems).map(([id, message]) => ({ id, message }))} />
        <FormOutcome message={outcomeMessage(view.flash)} error={view.params.error} />
        <RelayForm
          key={JSON.stringify(typed)}
          action="/relay/save"
          env={view.env}
          typed={typed}
          limits={limits}
          defaults={defaults}
          problems={problems}
        >
          <SettingsTable saved={saved} effective={effective} defaults={defaults} />
          <TestDeliveriesCard
            until={saved.testDeliveriesUntil}
            zone={view.zone}
            env={view.env}
            action="/relay/test-deliveries"
          />
        </RelayForm>
      </>
    ),
  };
});
