import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { DashboardFrame } from "#components/layout/dashboard-frame.tsx";
import { PageBar, PageBody } from "#components/layout/page-bar.tsx";
import { TestDeliveriesBand } from "#components/layout/test-deliveries-band.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Segments } from "#components/ui/tabs.tsx";
import { environmentOf } from "#domain/environment.ts";
import { chosenTheme } from "../../../page-request.ts";
import { DataParts } from "../data-parts.tsx";

export const metadata = { title: "Frame of the dashboard", robots: { index: false } };

/** The frame of the dashboard, in either environment (`?env=test`). */
export default async function Frame({ searchParams }: { searchParams: Promise<{ env?: string }> }) {
  const theme = await chosenTheme();
  const env = environmentOf((await searchParams).env);
  return (
    <DashboardFrame
      theme={theme}
      env={env}
      envLinks={{ live: "?env=live", test: "?env=test" }}
      current="/schedules/new"
      isAdmin
      waiting={{ count: 1_284, isCapped: false }}
      email="ana@example.com"
      band={
        env === "test" && (
          <TestDeliveriesBand until={new Date("2026-04-03T14:34:48Z")} zone="Europe/Zurich" action="#switch" />
        )
      }
      foot={<span className="text-ink-muted text-xs">Dispatcher beat 0.4 s ago</span>}
    >
      <PageBar
        title="New schedule"
        crumb={{ href: "#schedules", label: "Schedules" }}
        tools={
          <>
            <AutoRefresh at={Date.now()} href={`/dev/parts/frame?env=${env}`} />
            <Segments
              label="Times"
              choices={[
                { href: "#utc", label: "UTC", isCurrent: true },
                { href: "#local", label: "Local" },
              ]}
            />
          </>
        }
        action={
          <ButtonLink href="#new" kind="primary">
            New schedule
          </ButtonLink>
        }
      />
      <PageBody>
        <DataParts />
      </PageBody>
    </DashboardFrame>
  );
}
