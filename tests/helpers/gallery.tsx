import { renderToStaticMarkup } from "react-dom/server";
import { DashboardFrame } from "#components/layout/dashboard-frame.tsx";
import { PageBar, PageBody } from "#components/layout/page-bar.tsx";
import { PublicFrame } from "#components/layout/public-frame.tsx";
import { AccountParts, EmptyAccountParts } from "../../app/dev/parts/account-parts.tsx";
import { AttemptParts } from "../../app/dev/parts/attempt-parts.tsx";
import { ControlParts } from "../../app/dev/parts/control-parts.tsx";
import { DataParts } from "../../app/dev/parts/data-parts.tsx";
import { FigureParts } from "../../app/dev/parts/figure-parts.tsx";
import { ListParts } from "../../app/dev/parts/list-parts.tsx";
import { OverlayParts } from "../../app/dev/parts/overlay-parts.tsx";
import { OverviewParts } from "../../app/dev/parts/overview-parts.tsx";
import { PlaceParts } from "../../app/dev/parts/place-parts.tsx";
import { RecurrenceParts } from "../../app/dev/parts/recurrence-parts.tsx";
import { SchedulePageParts } from "../../app/dev/parts/schedule-page-parts.tsx";
import { ScheduleParts } from "../../app/dev/parts/schedule-parts.tsx";
import { SettingsParts } from "../../app/dev/parts/settings-parts.tsx";
import { SignInParts } from "../../app/dev/parts/sign-in-parts.tsx";

/** Every component in every state, in the frame of a public page, as HTML for the body. */
export function renderGallery(): string {
  return renderToStaticMarkup(
    <PublicFrame
      theme="system"
      links={[{ href: "#docs", label: "Docs" }]}
      footLinks={[{ href: "#llms", label: "llms.txt" }]}
    >
      <h1>Parts</h1>
      <ControlParts />
      <OverlayParts />
      <AttemptParts />
      <DataParts />
      <ScheduleParts />
      <FigureParts />
      <SettingsParts />
      <SignInParts />
      <PlaceParts />
      <EmptyAccountParts />
    </PublicFrame>,
  );
}

/** Parts of pages in their rare states and with extreme values, in the frame of a public page, as HTML for the body. */
export function renderEdges(): string {
  return renderToStaticMarkup(
    <PublicFrame theme="system">
      <h1>Parts at their edges</h1>
      <OverviewParts />
      <ListParts />
      <SchedulePageParts />
      <RecurrenceParts />
      <AccountParts />
    </PublicFrame>,
  );
}

/** The frame of the dashboard, around examples of a list and of a detail page. */
export function renderDashboard(env: "live" | "test"): string {
  return renderToStaticMarkup(
    <DashboardFrame
      theme="system"
      env={env}
      envLinks={{ live: "?env=live", test: "?env=test" }}
      current="/schedules/sch_1"
      isAdmin
      waiting={{ count: 1_284, isCapped: false }}
      email="ana@example.com"
    >
      <PageBar title="A schedule" crumb={{ href: "/schedules", label: "Schedules" }} />
      <PageBody>
        <DataParts />
      </PageBody>
    </DashboardFrame>,
  );
}
