/** The tool that probes a target. */
import type { ToolDeclaration } from '../mcp/tool.ts';

export const probeTools: readonly ToolDeclaration[] = [
  {
    name: 'probe_target',
    title: 'Probe a target',
    annotations: { openWorldHint: true },
    description: 'Send practice prompts to a URL of yours, to see whether a run could use it. Free.',
    operations: { probe: [] },
    without: ['prompt_tokens'],
    about: {
      'target.url': 'An http(s) URL with a public address.',
      'target.protocol': 'Detected if omitted. `hub` posts `{prompt}` and expects `{text}`.',
      'target.headers': 'At most 5, such as `authorization`. Kept secret.',
      'target.timeout_s': 'Seconds for a reply. Above 60, a run is never free.',
    },
  },
];
