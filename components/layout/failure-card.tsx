import { Unplug } from "lucide";
import type { ReactNode } from "react";
import { Card } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/**
 * Shown in place of content that failed to load: what failed, what that means, the request id for support, and what to do
 * next.
 */
export function FailureCard({
  title,
  requestId,
  heading,
  actions,
  children,
}: {
  title: string;
  requestId?: string;
  heading?: "h1" | "h2" | "h3";
  actions?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Card className="w-full max-w-136" role="alert">
      <EmptyState title={title} art={Unplug} heading={heading} actions={actions}>
        {children}
        {requestId && (
          <p className="flex max-w-full flex-wrap items-center justify-center gap-1 text-ink-muted text-xs">
            Request <code className="wrap-anywhere font-mono max-sm:text-2xs">{requestId}</code>
            <Copy text={requestId} what="request id" />
          </p>
        )}
      </EmptyState>
    </Card>
  );
}
