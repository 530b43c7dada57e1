import { SearchX } from "lucide";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { chosenTheme } from "../../page-request.ts";

export const metadata = { title: "No such schedule" };

export default async function NoSuchSchedule() {
  return (
    <NarrowFrame theme={await chosenTheme()}>
      <Card className="w-full max-w-136">
        <EmptyState
          title="No such schedule here"
          art={SearchX}
          heading="h1"
          actions={
            <>
              <ButtonLink kind="primary" href="/schedules">
                Live schedules
              </ButtonLink>
              <ButtonLink href="/schedules?env=test">Test schedules</ButtonLink>
            </>
          }
        >
          <p>
            This account has no schedule with this id in this environment. It may be in the other one, or its plan no
            longer keeps it.
          </p>
        </EmptyState>
      </Card>
    </NarrowFrame>
  );
}
