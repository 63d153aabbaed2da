/** The tool and the resource of notifications. */
import type { ToolDeclaration } from '../mcp/tool.ts';

export const notificationResources = [
  {
    name: 'notifications',
    description: 'Your own notifications, oldest first.',
    uri: '/v1/notifications',
    mimeType: 'application/json',
    operation: 'listNotifications',
  },
];

export const notificationTools: readonly ToolDeclaration[] = [
  {
    name: 'get_notifications',
    title: 'Get notifications',
    annotations: { idempotentHint: true },
    description: 'List your notifications, oldest first after cursor. up_to marks them as read instead.',
    operations: { markNotificationsRead: ['up_to'], listNotifications: [] },
    without: ['kind'],
    about: { up_to: 'The last one you have read.', wait: 'Seconds.' },
  },
];
