/** The version of the product, put in by the bundler; sources run unbundled say `0.0.0-dev`. */

declare const __nearglotVersion: string | undefined;

export function productVersion(): string {
	return typeof __nearglotVersion === 'string' ? __nearglotVersion : '0.0.0-dev';
}
