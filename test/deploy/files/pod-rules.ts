/** The rights of every pod in `deploy/`. */
export const podRights = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
export const containerRights = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
