#!/bin/bash
# Workers of docs/guides/workers.md as an array of Slurm, from a folder with node_modules/.bin/emac:
#   sbatch --array=0-31 slurm.sh redis://HOST:6379 /net/emac
# A password goes into EMAC_QUEUE_PASSWORD, which sbatch passes on.
#SBATCH --job-name=emac-worker
#SBATCH --array=0-7
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=24:00:00
# ten minutes before the end SIGTERM, which lets a worker end the episode at hand
#SBATCH --signal=TERM@600
set -u

queue=${1:?the address of the queue, redis://HOST:6379}
shared=${2:?the folder that all machines see}

while true; do
  status=0
  srun --ntasks=1 node_modules/.bin/emac worker --queue "$queue" --shared "$shared" || status=$?
  case $status in
    69 | 74) sleep 30 ;; # Redis is away, or the folder is full: again, after a pause
    *) exit "$status" ;;
  esac
done
