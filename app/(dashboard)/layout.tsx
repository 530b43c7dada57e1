import type { Metadata } from "next";
import type { ReactNode } from "react";

// A page has its title in its body (`dashboardPage`): which one is known only when the page has been read.
export const metadata: Metadata = { title: { absolute: "" }, robots: "noindex" };

export default function DashboardLayout({ children }: { children: ReactNode }) {
  return children;
}
