/** Opens a page in the browser with its address exactly as it is. */

import * as vscode from 'vscode';

/**
 * A `Uri` would undo the percent-encoding of its query, so that an address inside the address loses
 * all but its first parameter. VS Code takes a text as well and leaves that alone.
 */
export function openPage(address: string): Thenable<boolean> {
	return vscode.env.openExternal(address as unknown as vscode.Uri);
}
