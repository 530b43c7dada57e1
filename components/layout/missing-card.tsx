import { SearchX } from "lucide";
import type { ReactNode } from "react";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/** Shown in place of a page or an item that does not exist. `actions` lead to existing pages. */
export function MissingCard({
  title,
  heading = "h1",
  actions,
  children,
}: {
  title: string;
  heading?: "h1" | "h2" | "h3";
  actions: ReactNode;
  children: ReactNode;
}) {
  return (
    <Card className="w-full max-w-136">
      <EmptyState title={title} art={SearchX} heading={heading} actions={actions}>
        {children}
      </EmptyState>
    </Card>
  );
}
