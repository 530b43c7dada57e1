import { SearchX } from "lucide";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { chosenTheme } from "../../../../page-request.ts";

export const metadata = { title: "Operation not found" };

export default async function NoSuchOperation() {
  return (
    <NarrowFrame theme={await chosenTheme()}>
      <Card className="w-full max-w-136">
        <EmptyState
          title="There is no such operation"
          art={SearchX}
          heading="h1"
          actions={<ButtonLink href="/schedules/operations">All operations</ButtonLink>}
        >
          <p>It may belong to the other environment, or have ended more than 90 days ago.</p>
        </EmptyState>
      </Card>
    </NarrowFrame>
  );
}
