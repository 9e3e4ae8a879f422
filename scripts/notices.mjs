/** Licences of everything that is bundled or shipped, gathered from the installed packages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';

/** Packages that only build, check and test; nothing of them is shipped. */
const toolsOnly = new Set([
	'@ai-sdk/openai-compatible',
	'@azure-rest/ai-translation-text',
	'@biomejs/biome',
	'@langchain/openai',
	'@modelcontextprotocol/sdk',
	'@vscode/test-electron',
	'@vscode/vsce',
	'ai',
	'axe-core',
	'azure-mobile-apps-client',
	'esbuild',
	'foundry-local-sdk',
	'mocha',
	'oauth2-mock-server',
	'oidc-provider',
	'openai',
	'playwright-core',
	'sinon',
	'typescript',
]);

/** The text of ThirdPartyNotices.txt. */
export function thirdPartyNotices() {
	const read = (name, file) => readFileSync(join(root, 'node_modules', name, file), 'utf8');
	const { dependencies, devDependencies } = JSON.parse(
		readFileSync(join(root, 'package.json'), 'utf8'),
	);
	const wanted = Object.keys({ ...dependencies, ...devDependencies }).filter(
		(name) => !toolsOnly.has(name) && !name.startsWith('@types/'),
	);
	const seen = new Set();
	for (const name of wanted) {
		if (seen.has(name) || !existsSync(join(root, 'node_modules', name, 'package.json'))) continue;
		seen.add(name);
		wanted.push(...Object.keys(JSON.parse(read(name, 'package.json')).dependencies ?? {}));
	}
	const notices = [...seen].sort().map((name) => {
		const { version, license } = JSON.parse(read(name, 'package.json'));
		const file = readdirSync(join(root, 'node_modules', name)).find((entry) =>
			/^(licen[cs]e|copying)(\.|$)/i.test(entry),
		);
		const text = file ? read(name, file).trim() : `Licence: ${String(license)}`;
		return `${name} ${version} (${String(license)})\n\n${text}`;
	});
	const line = `\n\n${'-'.repeat(80)}\n\n`;
	return `Nearglot contains the following packages.${line}${notices.join(line)}\n`;
}
