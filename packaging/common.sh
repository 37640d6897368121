# What the scripts of this folder share. Each is called from anywhere; each writes into target/packages.
# PACKAGE_LEVEL says how much time compression may take (1 to 9): tests take 1.

set -eu

cd "$(dirname "$0")/.."
out=$PWD/target/packages
mkdir -p "$out"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(uname -m)

# The same commit gives the same bytes: no package has another time in it.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
HOWDAH_COMMIT=${HOWDAH_COMMIT:-$(git rev-parse HEAD)}
export SOURCE_DATE_EPOCH HOWDAH_COMMIT
export LC_ALL=C TZ=UTC
umask 022

fail() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# The program of all packages: the one of the wheel, or the one that PROGRAM names.
program() {
	if [ -n "${PROGRAM:-}" ]; then
		echo "$PROGRAM"
		return
	fi
	[ -x "$out/howdah" ] || packaging/wheel >&2
	echo "$out/howdah"
}

# Lays out the tree of a package: layout FOLDER PREFIX ZSH, where ZSH is the folder of zsh's completions.
layout() {
	root=$1
	prefix=$root$2
	doc=$prefix/share/doc/howdah
	rm -rf "$root"
	mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$doc/docs" "$prefix/share/bash-completion/completions" \
		"$prefix/share/fish/vendor_completions.d" "$prefix/$3" "$prefix/lib/systemd/system" "$prefix/lib/systemd/user"
	install -m 755 "$(program)" "$prefix/bin/howdah"
	for page in man/*.1; do
		gzip -9nc "$page" >"$prefix/share/man/man1/$(basename "$page").gz"
	done
	cp completions/howdah.bash "$prefix/share/bash-completion/completions/howdah"
	cp completions/howdah.fish "$prefix/share/fish/vendor_completions.d/howdah.fish"
	cp completions/_howdah "$prefix/$3/_howdah"
	for unit in systemd/*; do
		sed 's|@COMMAND@|/usr/bin/howdah|' "$unit" >"$prefix/lib/systemd/system/$(basename "$unit")"
	done
	cp "$prefix/lib/systemd/system/"* "$prefix/lib/systemd/user/"
	cp README.md CHANGELOG.md COMPATIBILITY.md LICENSE "$doc/"
	cp docs/*.md "$doc/docs/"
	cp -r fixtures/hello "$doc/hello"
	python3 packaging/licences "$doc/THIRD-PARTY.txt" "$doc/sbom.cyclonedx.json"
	find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}
