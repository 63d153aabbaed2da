/** What `hub setup` prints for this machine: the service, the proxy, and the next commands. */
import { userInfo } from 'node:os';
import { describeExposure } from '#runtime/settings/describe-exposure.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { projectFolder } from '#runtime/project-files.ts';
import type { FinishedSetup } from './set-up-hub.ts';

export type ProxyName = 'caddy' | 'nginx';

/** Caddy accepts global options only at the beginning of its file, so the block cannot follow the page of its package. */
const proxyFiles: Readonly<Record<ProxyName, string>> = {
  caddy: '/etc/caddy/Caddyfile, replacing its content',
  nginx: '/etc/nginx/conf.d/agent-hub.conf',
};

const isRoot = process.getuid?.() === 0;
/**
 * The user of the service. Nobody but root can give the data to another one, who might not even be allowed to enter the
 * folders above it.
 */
const serviceUser = isRoot ? 'agent-hub' : userInfo().username;

export interface NextSteps {
  readonly systemdUnit: string;
  /** Null if the hub needs no proxy. */
  readonly proxyBlock: string | null;
}

export function nextStepsFor(settings: Settings, proxy: ProxyName): NextSteps {
  const needsProxy = settings.baseUrl.startsWith('https:');
  return {
    systemdUnit: systemdUnit(settings),
    proxyBlock: !needsProxy ? null : proxy === 'caddy' ? caddyBlock(settings) : nginxBlock(settings),
  };
}

export function describeSetup(
  finished: FinishedSetup,
  { systemdUnit: unit, proxyBlock }: NextSteps,
  proxy: ProxyName,
) {
  const { settings, settingsFile, keyFile, handle, token } = finished;
  const dataDir = forShell(settings.dataDir);
  return [
    `Set up: ${describeExposure(settings)}.`,
    '',
    `  Settings    ${settingsFile}`,
    `  Maintainer  ${handle}, key in ${keyFile}; keep a copy of the key elsewhere`,
    `  Its token   ${token}  (shown once: export HUB_TOKEN=…)`,
    '',
    `Start it here with \`hub start --data ${dataDir}\`, or as a service. Write this to /etc/systemd/system/agent-hub.service:`,
    '',
    unit,
    'Then:',
    '',
    ...(isRoot
      ? [
          `  sudo useradd --system --user-group --home-dir ${dataDir} ${serviceUser}`,
          `  sudo chown -R ${serviceUser}: ${dataDir}`,
        ]
      : []),
    '  sudo systemctl daemon-reload && sudo systemctl enable --now agent-hub',
    ...(proxyBlock === null
      ? []
      : [
          '',
          `Write this to ${proxyFiles[proxy]}:`,
          '',
          proxyBlock,
          'Then:',
          '',
          `  sudo systemctl reload ${proxy}`,
        ]),
    '',
    `Once it runs, check it: ${isRoot ? 'sudo ' : ''}hub setup --check --data ${dataDir}`,
    '`hub open`, with the token in HUB_TOKEN, prints a link that signs you in to the site.',
  ];
}

const plainWord = /^[\w@+=:,./-]+$/;

/** A word of a command in a shell. */
export function forShell(word: string): string {
  return plainWord.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A word of a command, or a path in a list of paths, in a unit of systemd. */
export function forSystemd(word: string): string {
  if (plainWord.test(word)) return word;
  const escaped = word.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('%', '%%');
  return `"${escaped}"`;
}

function systemdUnit({ dataDir, port }: Settings): string {
  const command = Bun.isStandaloneExecutable
    ? [process.execPath, 'start']
    : [process.execPath, `${projectFolder}/cli/binary.ts`, 'start'];
  // Bun reads how to compile the sources from the folder in which it starts. systemd takes the rest of the line as it is.
  const folder = Bun.isStandaloneExecutable
    ? ''
    : `WorkingDirectory=${projectFolder.replaceAll('%', '%%')}\n`;
  // Ports below 1024 need a capability.
  const capability = port < 1024 ? 'AmbientCapabilities=CAP_NET_BIND_SERVICE\n' : '';
  const isInHome = [...command, dataDir].some((path) => /^\/(home|root)\//.test(path));
  return `[Unit]
Description=Agent Hub
Wants=network-online.target
After=network-online.target

[Service]
${folder}ExecStart=${[...command, '--data', dataDir].map((word) => forSystemd(word).replaceAll('$', '$$$$')).join(' ')}
User=${serviceUser}
Restart=on-failure
# Wrong settings stay wrong.
RestartPreventExitStatus=78
# The hub stops its own processes in order, which takes up to 65 seconds.
KillMode=mixed
TimeoutStopSec=75
LimitNOFILE=65536
UMask=0077
${capability}NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${forSystemd(dataDir)}
${isInHome ? '' : 'ProtectHome=yes\n'}PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes

[Install]
WantedBy=multi-user.target
`;
}

function caddyBlock({ baseUrl, port }: Settings): string {
  return `{
	servers {
		timeouts {
			read_header 10s
		}
	}
}

${new URL(baseUrl).host} {
	reverse_proxy 127.0.0.1:${port} {
		# While the hub restarts, requests wait.
		lb_try_duration 15s
	}
}
`;
}

function nginxBlock({ baseUrl, port }: Settings): string {
  const { hostname, port: publicPort } = new URL(baseUrl);
  return `upstream agent_hub {
    server 127.0.0.1:${port};
    keepalive 32;
}

server {
    listen ${publicPort || '443'} ssl http2;
    server_name ${hostname};
    ssl_certificate     /etc/ssl/${hostname}/fullchain.pem;
    ssl_certificate_key /etc/ssl/${hostname}/privkey.pem;
    client_max_body_size 11m;
    client_header_timeout 10s;

    location / {
        proxy_pass http://agent_hub;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        # Set it rather than append to it, so that a client's own value is discarded.
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        # A progress stream sends something every 15 seconds and disables buffering with a header.
        proxy_read_timeout 75s;
    }
}
`;
}
