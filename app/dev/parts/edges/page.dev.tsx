import { PublicFrame } from "#components/layout/public-frame.tsx";
import { chosenTheme } from "../../../page-request.ts";
import { AccountParts } from "../account-parts.tsx";
import { ListParts } from "../list-parts.tsx";
import { OverviewParts } from "../overview-parts.tsx";
import { RecurrenceParts } from "../recurrence-parts.tsx";
import { SchedulePageParts } from "../schedule-page-parts.tsx";

export const metadata = { title: "Parts at their edges", robots: { index: false } };

/** Parts of pages in rare states, and with the longest and largest values. Not in production builds. */
export default async function Edges() {
  const theme = await chosenTheme();
  return (
    <PublicFrame theme={theme}>
      <h1 className="py-6 text-2xl">Parts at their edges</h1>
      <div className="grid grid-cols-1 gap-10">
        <OverviewParts />
        <ListParts />
        <SchedulePageParts />
        <RecurrenceParts />
        <AccountParts />
      </div>
    </PublicFrame>
  );
}
