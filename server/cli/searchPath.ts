/** Where programs that are started by a bare name are looked for. */

/**
 * Windows looks into the current folder before PATH: a folder of a stranger, opened in an editor or entered in a
 * terminal, could hold an `ffmpeg.exe`. With this variable it looks into PATH alone, in this process and those it starts.
 */
export function leaveOutCurrentFolder(env: NodeJS.ProcessEnv): void {
	env['NoDefaultCurrentDirectoryInExePath'] = '1';
}
