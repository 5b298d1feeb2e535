#!/bin/sh
# Creates the secrets of compose.yaml in deploy/secrets, once; existing files are kept.
set -eu
folder="$(dirname "$0")/secrets"
mkdir -p "$folder"
umask 077
create() { [ -s "$folder/$1" ] || printf '%s\n' "$2" >"$folder/$1"; }
random() { openssl rand -hex 32; }
create secret_key "$(random)"
create owner_password "$(random)"
create application_password "$(random)"
create redis_password "$(random)"
create turn_secret "$(random)"
create metrics_token "$(random)"
create database_url "postgres://app_user:$(cat "$folder/application_password")@database:5432/roomside"
create database_owner_url "postgres://roomside_owner:$(cat "$folder/owner_password")@database:5432/roomside"
create redis_url "redis://:$(cat "$folder/redis_password")@redis:6379"
# Containers read them as their own users.
chmod 644 "$folder"/*
chmod 700 "$folder"
