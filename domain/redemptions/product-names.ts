export const productNames = ['eval-run', 'agent-run'] as const;
export type ProductName = (typeof productNames)[number];
