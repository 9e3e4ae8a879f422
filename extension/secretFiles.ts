/** Files that may hold keys or passwords: no model is shown them unasked. Knows no editor. */

const names =
	/^(?:\.env(?:[.~_-].*)?|.+\.env|\.envrc|\.npmrc|\.netrc|_netrc|\.pypirc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials|credentials|id_[a-z\d]+(?:[._-].*)?|secrets?\.(?:json|ya?ml|toml|ini|properties)|.*\.(?:pem|key|pfx|p12|kdbx|jks|keystore|tfvars|tfstate|ovpn|asc|gpg))$/;
const folders = /^(?:\.ssh|\.aws|\.azure|\.gnupg|\.kube|\.docker|\.gcloud|\.password-store)$/;

/** Whether a path, in parts, may lead to secrets: by the name of the file, or of a folder it is in. */
export function mayHoldSecrets(parts: readonly string[]): boolean {
	const plain = parts.map((part) => part.normalize('NFKC').toLowerCase());
	return names.test(plain.at(-1) ?? '') || plain.some((part) => folders.test(part));
}
