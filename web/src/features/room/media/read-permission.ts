/** The browser's permissions; undefined in older browsers. */
export type BrowserPermissions = Pick<Permissions, 'query'> | undefined;

/** Reads the permission for a device. Undefined where the browser has no permission of this name, such as older Firefox. */
export async function readPermission(
  permissions: BrowserPermissions,
  name: 'camera' | 'microphone',
): Promise<PermissionStatus | undefined> {
  return permissions?.query({ name }).catch(() => undefined);
}
